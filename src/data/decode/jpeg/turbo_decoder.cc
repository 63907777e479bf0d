#include "data/decode/jpeg/turbo_decoder.h"

// clang-format off
#include <cstdio>
#include <jpeglib.h>
#include <jerror.h>
// clang-format on

#include <algorithm>
#include <csetjmp>
#include <cstdint>
#include <cstring>
#include <string>

#include "data/decode/jpeg/exif.h"
#include "data/decode/jpeg/scans.h"

namespace flatout::data {
namespace {

using base::ErrorCode;

// Whole-image coefficients of progressive files: three bytes a pixel at most of files at 0.02 bits
// a pixel.
constexpr long kLeastMemory = 16L << 20;
constexpr long kMemoryPerFileByte = 1024;

// The state of one call of libjpeg. It leaves by longjmp, so nothing between setjmp and its calls
// may have a destructor.
struct Session {
  jpeg_decompress_struct jpeg;
  jpeg_error_mgr errors;
  jpeg_source_mgr source;
  jpeg_progress_mgr progress;
  std::int64_t visits;  // of blocks, while the scans are read
  std::int64_t most_visits;
  std::jmp_buf leave;
  char message[JMSG_LENGTH_MAX];
  ErrorCode code;
};

Session& session_of(j_common_ptr jpeg) { return *static_cast<Session*>(jpeg->client_data); }

[[noreturn]] void leave(Session& session, ErrorCode code, const char* message) {
  std::snprintf(session.message, sizeof session.message, "%s", message);
  session.code = code;
  std::longjmp(session.leave, 1);
}

[[noreturn]] void on_error(j_common_ptr jpeg) {
  char text[JMSG_LENGTH_MAX];
  jpeg->err->format_message(jpeg, text);
  const bool memory =
      jpeg->err->msg_code == JERR_NO_BACKING_STORE || jpeg->err->msg_code == JERR_OUT_OF_MEMORY;
  leave(session_of(jpeg), memory ? ErrorCode::kTooLarge : ErrorCode::kCorrupt,
        memory ? "the image needs memory out of proportion to its file" : text);
}

void on_message(j_common_ptr, int) {}  // warnings: Pillow goes on, and so do we
void on_output(j_common_ptr) {}

void on_begin(j_decompress_ptr) {}
boolean on_empty(j_decompress_ptr jpeg) {
  leave(session_of(reinterpret_cast<j_common_ptr>(jpeg)), ErrorCode::kCorrupt,
        "the file ends before the image does: it was cut");
}
void on_skip(j_decompress_ptr jpeg, long count) {
  if (count <= 0) return;
  if (static_cast<std::size_t>(count) > jpeg->src->bytes_in_buffer) on_empty(jpeg);
  jpeg->src->next_input_byte += count;
  jpeg->src->bytes_in_buffer -= static_cast<std::size_t>(count);
}
void on_end(j_decompress_ptr) {}

// Before each row of MCUs of a scan, in files with several; and before each row of pixels.
void on_progress(j_common_ptr common) {
  auto* jpeg = reinterpret_cast<j_decompress_ptr>(common);
  Session& session = session_of(common);
  if (jpeg->input_scan_number > kMostJpegScans)
    leave(session, ErrorCode::kTooLarge, "the image has more scans than any real one");
  if (jpeg->output_scanline > 0) return;
  for (int i = 0; i < jpeg->comps_in_scan; ++i) {
    const jpeg_component_info& part = *jpeg->cur_comp_info[i];
    session.visits += static_cast<std::int64_t>(part.width_in_blocks) * part.v_samp_factor;
  }
  if (session.visits > session.most_visits)
    leave(session, ErrorCode::kTooLarge,
          "the image's scans need work out of proportion to its file");
}

// To be called after setjmp.
void begin(Session& session, std::span<const std::byte> file) {
  session.jpeg.err = jpeg_std_error(&session.errors);
  session.errors.error_exit = on_error;
  session.errors.emit_message = on_message;
  session.errors.output_message = on_output;
  session.jpeg.client_data = &session;
  jpeg_create_decompress(&session.jpeg);
  session.jpeg.client_data = &session;
  session.source = {.next_input_byte = reinterpret_cast<const JOCTET*>(file.data()),
                    .bytes_in_buffer = file.size(),
                    .init_source = on_begin,
                    .fill_input_buffer = on_empty,
                    .skip_input_data = on_skip,
                    .resync_to_restart = jpeg_resync_to_restart,
                    .term_source = on_end};
  session.jpeg.src = &session.source;
  session.progress.progress_monitor = on_progress;
  session.jpeg.progress = &session.progress;
  session.visits = 0;
  session.most_visits = most_jpeg_visits(file.size());
  session.jpeg.mem->max_memory_to_use =
      kLeastMemory + kMemoryPerFileByte * static_cast<long>(file.size());
}

bool takes_components(int count) { return count == 1 || count == 3 || count == 4; }

// Reads the headers; `info` is set on success. The session is destroyed either way.
bool read_headers(Session& session, std::span<const std::byte> file, TurboInfo& info) {
  if (setjmp(session.leave) != 0) {
    jpeg_destroy_decompress(&session.jpeg);
    return false;
  }
  begin(session, file);
  jpeg_save_markers(&session.jpeg, JPEG_APP0 + 1, 0xFFFF);
  jpeg_read_header(&session.jpeg, TRUE);
  info = {.width = static_cast<int>(session.jpeg.image_width),
          .height = static_cast<int>(session.jpeg.image_height),
          .components = session.jpeg.num_components};
  for (const jpeg_marker_struct* marker = session.jpeg.marker_list; marker != nullptr;
       marker = marker->next) {
    if (marker->data_length < 6 || std::memcmp(marker->data, "Exif", 5) != 0) continue;
    info.orientation =
        exif_orientation({reinterpret_cast<const std::byte*>(marker->data), marker->data_length});
    break;
  }
  jpeg_destroy_decompress(&session.jpeg);
  return true;
}

// What Pillow's convert("RGB") makes of a CMYK pixel that it holds inverted, as Adobe writes it
// (Convert.c, cmyk2rgb).
void cmyk_to_rgb(const std::uint8_t* pixel, std::uint8_t* target) {
  const int key = pixel[3];
  for (int i = 0; i < 3; ++i) {
    const int product = (255 - pixel[i]) * key + 128;
    target[i] =
        static_cast<std::uint8_t>(std::clamp(key - ((product >> 8) + product) / 256, 0, 255));
  }
}

void keep_row(const Session& session, const std::uint8_t* row, const Box& box,
              std::uint8_t* target) {
  const std::ptrdiff_t components = session.jpeg.output_components;
  const std::uint8_t* first = row + box.left * components;
  if (components != 4) {
    std::memcpy(target, first, static_cast<std::size_t>(components * box.width));
    return;
  }
  for (std::ptrdiff_t x = 0; x < box.width; ++x) cmyk_to_rgb(first + 4 * x, target + 3 * x);
}

// Decodes the box to `target`, rows `stride` bytes apart. `row` has room for four bytes a pixel of
// the image's width.
bool read_pixels(Session& session, std::span<const std::byte> file, const Box& box, int scale_denom,
                 std::uint8_t* row, std::uint8_t* target, std::ptrdiff_t stride) {
  if (setjmp(session.leave) != 0) {
    jpeg_destroy_decompress(&session.jpeg);
    return false;
  }
  begin(session, file);
  jpeg_read_header(&session.jpeg, TRUE);
  session.jpeg.scale_num = 1;
  session.jpeg.scale_denom = static_cast<unsigned>(scale_denom);
  jpeg_start_decompress(&session.jpeg);
  const auto end = static_cast<JDIMENSION>(box.top + box.height);
  while (session.jpeg.output_scanline < end) {
    const auto y = static_cast<int>(session.jpeg.output_scanline);
    JSAMPROW rows[1] = {row};
    jpeg_read_scanlines(&session.jpeg, rows, 1);
    if (y >= box.top) keep_row(session, row, box, target + (y - box.top) * stride);
  }
  // A whole image is read to its end marker, as Pillow does.
  if (session.jpeg.output_scanline == session.jpeg.output_height)
    jpeg_finish_decompress(&session.jpeg);
  jpeg_destroy_decompress(&session.jpeg);
  return true;
}

std::unexpected<base::Error> failure(const Session& session) {
  return base::fail(session.code, std::string("JPEG: ") + session.message);
}

}  // namespace

base::Result<TurboInfo> TurboJpeg::open(std::span<const std::byte> file) {
  Session session = {};
  TurboInfo info;
  if (!read_headers(session, file, info)) return failure(session);
  if (!takes_components(info.components)) {
    return base::fail(
        ErrorCode::kInvalid,
        "JPEG: no pictures of " + std::to_string(info.components) + " components are known");
  }
  return info;
}

base::Result<PixelView> TurboJpeg::decode(std::span<const std::byte> file, const Box& box,
                                          int scale_denom) {
  visits_ = 0;
  const auto info = open(file);
  if (!info) return std::unexpected(info.error());
  const int channels = info->components == 1 ? 1 : 3;
  const auto stride = (static_cast<std::size_t>(box.width * channels) + 127) / 64 * 64;
  std::uint8_t* pixels = pixels_.get(stride * static_cast<std::size_t>(box.height) + 128);
  std::uint8_t* row = row_.get(4 * static_cast<std::size_t>(info->width));
  Session session = {};
  const bool read = read_pixels(session, file, box, scale_denom, row, pixels,
                                static_cast<std::ptrdiff_t>(stride));
  visits_ = session.visits;
  if (!read) return failure(session);
  return PixelView{.data = pixels,
                   .width = box.width,
                   .height = box.height,
                   .channels = channels,
                   .stride = static_cast<std::ptrdiff_t>(stride)};
}

}  // namespace flatout::data
