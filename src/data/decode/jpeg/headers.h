// What stands before a JPEG file's coded data: frame, tables, scans (ITU-T T.81, annex B), as far
// as our own decoder needs it. It reads only files that follow the standard to the letter; all
// others are libjpeg-turbo's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace flatout::data {

constexpr int kJpegMaxComponents = 4;
constexpr int kJpegTables = 4;  // of each kind

struct JpegComponent {
  std::uint8_t id = 0;
  std::uint8_t h = 1;  // sampling factors, 1..4
  std::uint8_t v = 1;
  std::uint8_t quant = 0;  // index of its quantisation table
};

// Code lengths and symbols as DHT gives them.
struct HuffmanSpec {
  bool present = false;
  std::array<std::uint8_t, 16> counts = {};  // [i]: codes of i + 1 bits
  std::array<std::uint8_t, 256> symbols = {};
  int symbol_count = 0;
  bool operator==(const HuffmanSpec&) const = default;
};

struct QuantSpec {
  bool present = false;
  bool wide = false;                         // 16-bit values
  std::array<std::uint16_t, 64> steps = {};  // in zigzag order
};

struct JpegScan {
  struct Part {
    int component = 0;  // index in JpegHeaders::components
    int dc = 0;         // indices of Huffman tables
    int ac = 0;
  };
  int part_count = 0;
  std::array<Part, kJpegMaxComponents> parts = {};
  int spectral_begin = 0;
  int spectral_end = 63;
  int approximation = 0;
  std::size_t data_begin = 0;  // offset of its coded data in the file
};

// Reads a file's markers from one scan to the next. Holds a reference to the file's bytes only.
class JpegHeaders {
 public:
  enum class Next {
    kScan,  // `scan()` is set, and everything above it is what the file said until there
    kEnd,   // the end-of-image marker
    kOdd,   // cut, or anything else that is not written as the standard has it
  };

  explicit JpegHeaders(std::span<const std::byte> file) : file_(file) {}

  // To the first scan.
  Next open();
  // To the scan after coded data that end at or after `data_end`: what is left of them is passed
  // over.
  Next next_scan(std::size_t data_end);

  int width = 0;
  int height = 0;
  int component_count = 0;  // 0 until the frame header was read
  int precision = 0;        // bits a sample
  int frame_type = -1;      // 0: baseline DCT, 1: extended sequential DCT, 2: progressive, ...
  std::array<JpegComponent, kJpegMaxComponents> components = {};
  std::array<QuantSpec, kJpegTables> quant = {};
  std::array<HuffmanSpec, kJpegTables> dc = {};
  std::array<HuffmanSpec, kJpegTables> ac = {};
  int restart_interval = 0;  // in MCUs; 0: none
  bool jfif = false;
  int adobe_transform = -1;  // -1: no Adobe marker
  int orientation = 1;       // EXIF

  const JpegScan& scan() const { return scan_; }

  // Three components that are red, green and blue, by the rules of libjpeg
  // (default_decompress_parms): a JFIF marker means YCbCr, then Adobe's marker decides, then the
  // letters R, G, B as component ids.
  bool is_rgb() const;

 private:
  Next read_markers();
  bool read_segment(int marker);
  bool read_frame(std::span<const std::byte> segment);
  bool read_quant(std::span<const std::byte> segment);
  bool read_huffman(std::span<const std::byte> segment);
  bool read_scan(std::span<const std::byte> segment);
  bool read_restart_interval(std::span<const std::byte> segment);
  void read_application(int marker, std::span<const std::byte> segment);

  std::span<const std::byte> file_;
  std::size_t at_ = 0;
  bool saw_exif_ = false;
  JpegScan scan_;
};

// Whether an end-of-image marker stands anywhere after `begin`. Coded data cannot contain one, so a
// file that was cut has none. The last two bytes are looked at first.
bool jpeg_has_end(std::span<const std::byte> file, std::size_t begin);

}  // namespace flatout::data
