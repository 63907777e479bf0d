#include "data/decode/unclear_orientation.h"

#include <cstdint>
#include <string_view>

namespace flatout::data {
namespace {

using namespace std::string_view_literals;

// A JPEG file's segments before its pixels; all of the file where they cannot be followed.
std::string_view before_pixels(std::string_view file) {
  if (!file.starts_with("\xff\xd8"sv)) return file;
  for (std::size_t at = 2; at + 4 <= file.size() && file[at] == '\xff';) {
    if (file[at + 1] == '\xda') return file.substr(0, at);
    const auto high = static_cast<std::uint8_t>(file[at + 2]);
    const auto low = static_cast<std::uint8_t>(file[at + 3]);
    at += 2 + (std::size_t{high} << 8 | low);
  }
  return file;
}

// tiff:Orientation="6" or <tiff:Orientation>6<, of a picture that is not upright.
bool turns_by_xmp(std::string_view text) {
  constexpr auto kName = "tiff:Orientation"sv;
  for (std::size_t at = text.find(kName); at != text.npos; at = text.find(kName, at)) {
    at += kName.size();
    std::string_view value = text.substr(at, 3);
    if (value.starts_with("=\""))
      value.remove_prefix(2);
    else if (value.starts_with(">"))
      value.remove_prefix(1);
    else
      continue;
    if (!value.empty() && value[0] >= '2' && value[0] <= '8') return true;
  }
  return false;
}

}  // namespace

bool is_orientation_unclear(std::span<const std::byte> file, int orientation) {
  if (orientation > 1) return false;
  if (orientation < 1) return true;
  const std::string_view text =
      before_pixels({reinterpret_cast<const char*>(file.data()), file.size()});
  return turns_by_xmp(text) ||
         (text.starts_with("\x89PNG") && (text.find("Raw profile type exif") != text.npos ||
                                          text.find("XML:com.adobe.xmp\0\1"sv) != text.npos));
}

}  // namespace flatout::data
