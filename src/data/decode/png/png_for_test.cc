#include "data/decode/png/png_for_test.h"

#include <zlib.h>

#include <algorithm>
#include <array>

namespace flatout::data {
namespace {

std::string number(std::size_t value) {
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 0xff);
  return out;
}

int channels_of(PngColour colour) {
  switch (colour) {
    case PngColour::kGrey:
    case PngColour::kPalette:
      return 1;
    case PngColour::kGreyAlpha:
      return 2;
    case PngColour::kRgb:
      return 3;
    case PngColour::kRgbAlpha:
      return 4;
  }
  return 0;
}

// A picture's numbers as they are, channel by channel.
struct Raw {
  int width, height, channels;
  std::vector<unsigned> values;
  unsigned at(int x, int y, int channel) const {
    return values[(static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                   static_cast<std::size_t>(x)) *
                      static_cast<std::size_t>(channels) +
                  static_cast<std::size_t>(channel)];
  }
};

Raw made_up(const PngRecipe& r) {
  TestRandom random(r.seed);
  Raw raw = {r.width, r.height, channels_of(r.colour), {}};
  const int most = (1 << r.depth) - 1;
  for (int y = 0; y < r.height; ++y) {
    for (int x = 0; x < r.width; ++x) {
      for (int c = 0; c < raw.channels; ++c) {
        const int smooth = (x * (c + 2) + y * 3) * most / 255;
        const int noise = r.noise == 0 ? 0 : random.below(r.noise * most / 255 + 1);
        raw.values.push_back(static_cast<unsigned>((r.noise == 0 ? 0 : smooth) + noise) &
                             static_cast<unsigned>(most));
      }
    }
  }
  return raw;
}

std::uint8_t paeth(int a, int b, int c) {
  const int p = a + b - c;
  const int pa = std::abs(p - a);
  const int pb = std::abs(p - b);
  const int pc = std::abs(p - c);
  return static_cast<std::uint8_t>(pa <= pb && pa <= pc ? a : pb <= pc ? b : c);
}

// A row of a pass, its filter's number before it.
std::string filtered(const std::string& row, const std::string& above, int filter, int step) {
  std::string out(1, static_cast<char>(filter));
  const auto byte = [](const std::string& from, int i) {
    return i < 0 ? 0
                 : static_cast<int>(static_cast<unsigned char>(from[static_cast<std::size_t>(i)]));
  };
  for (int i = 0; i < static_cast<int>(row.size()); ++i) {
    const int left = byte(row, i - step);
    const int up = byte(above, i);
    const int corner = byte(above, i - step);
    const int guess = filter == 1   ? left
                      : filter == 2 ? up
                      : filter == 3 ? (left + up) / 2
                      : filter == 4 ? paeth(left, up, corner)
                                    : 0;
    out += static_cast<char>(byte(row, i) - guess);
  }
  return out;
}

void add_pass(const PngRecipe& r, const Raw& raw, int left, int top, int right_step, int down_step,
              std::string& out) {
  if (left >= r.width) return;
  const int bits = r.depth * raw.channels;
  std::string above;
  for (int y = top, turn = 0; y < r.height; y += down_step, ++turn) {
    std::string row;
    unsigned kept = 0;
    int count = 0;
    for (int x = left; x < r.width; x += right_step) {
      for (int c = 0; c < raw.channels; ++c) {
        if (r.depth == 16) row += static_cast<char>(raw.at(x, y, c) >> 8);
        kept = kept << std::min(r.depth, 8) | (raw.at(x, y, c) & 0xff);
        count += std::min(r.depth, 8);
        if (count % 8 == 0) row += static_cast<char>(kept & 0xff);
      }
    }
    if (count % 8 != 0) row += static_cast<char>(kept << (8 - count % 8) & 0xff);
    above.resize(row.size(), '\0');
    out += filtered(row, above, r.filter >= 0 ? r.filter : turn % 5, std::max(1, bits / 8));
    above = row;
  }
}

std::string palette_of(int depth) {
  std::string out;
  for (int i = 0; i < 1 << depth; ++i)
    out += {static_cast<char>(i * 7), static_cast<char>(255 - i), static_cast<char>(i ^ 90)};
  return out;
}

Pixels shown(const PngRecipe& r, const Raw& raw) {
  Pixels out = {.width = r.width, .height = r.height};
  const std::string palette = palette_of(std::min(r.depth, 8));
  const bool grey = raw.channels < 3;
  for (int y = 0; y < r.height; ++y) {
    for (int x = 0; x < r.width; ++x) {
      for (int c = 0; c < 3; ++c) {
        unsigned value = raw.at(x, y, grey ? 0 : c);
        if (r.colour == PngColour::kPalette) {
          value = static_cast<unsigned char>(palette[3 * value + static_cast<unsigned>(c)]);
        } else if (r.colour == PngColour::kGrey && r.depth == 16) {
          value = std::min(value, 255U);
        } else {
          value = r.depth == 16 ? value >> 8 : value * 255 / ((1U << r.depth) - 1);
        }
        out.rgb.push_back(static_cast<std::uint8_t>(value));
      }
    }
  }
  return out;
}

}  // namespace

std::string png_chunk(std::string_view name, const std::string& content) {
  const std::string named = std::string(name) + content;
  return number(content.size()) + named +
         number(crc32(0, reinterpret_cast<const Bytef*>(named.data()),
                      static_cast<uInt>(named.size())));
}

std::string png_header(int width, int height, int depth, PngColour colour, bool interlaced) {
  return png_chunk("IHDR", number(static_cast<std::size_t>(width)) +
                               number(static_cast<std::size_t>(height)) +
                               std::string{static_cast<char>(depth), static_cast<char>(colour), 0,
                                           0, static_cast<char>(interlaced)});
}

std::string zlib_data(const std::string& plain, int level, int strategy) {
  z_stream stream = {};
  if (deflateInit2(&stream, level, Z_DEFLATED, 15, 9, strategy) != Z_OK) return "";
  std::string out(deflateBound(&stream, plain.size()) + 16, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  (void)deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

PngForTest make_png(const PngRecipe& r) {
  const Raw raw = made_up(r);
  std::string rows;
  if (r.interlaced) {
    constexpr std::array<std::array<int, 4>, 7> kPasses = {{{0, 0, 8, 8},
                                                            {4, 0, 8, 8},
                                                            {0, 4, 4, 8},
                                                            {2, 0, 4, 4},
                                                            {0, 2, 2, 4},
                                                            {1, 0, 2, 2},
                                                            {0, 1, 1, 2}}};
    for (const auto& [left, top, right_step, down_step] : kPasses)
      add_pass(r, raw, left, top, right_step, down_step, rows);
  } else {
    add_pass(r, raw, 0, 0, 1, 1, rows);
  }
  std::string file(kPngSignature);
  file += png_header(r.width, r.height, r.depth, r.colour, r.interlaced);
  if (r.colour == PngColour::kPalette) file += png_chunk("PLTE", palette_of(r.depth));
  const std::string data = zlib_data(rows, r.level, r.strategy);
  const std::size_t piece = r.piece == 0 ? data.size() : r.piece;
  for (std::size_t at = 0; at < data.size(); at += piece)
    file += png_chunk("IDAT", data.substr(at, piece));
  file += png_chunk("IEND", "");
  PngForTest out = {.file = {}, .pixels = shown(r, raw)};
  for (const char c : file) out.file.push_back(static_cast<std::byte>(c));
  return out;
}

}  // namespace flatout::data
