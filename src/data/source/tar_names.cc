#include "data/source/tar_names.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/ascii.h"

namespace flatout::data {
namespace {

using std::string_view;

constexpr std::array<string_view, 10> kOthers = {"gif",  "bmp",  "tif", "tiff", "avif",
                                                 "heic", "heif", "jp2", "jxl",  "jfif"};
constexpr string_view kBlanks = " \t\n\r\v\f";

// "__meta__/...". A line end behind it is none of its name, as Python's "$" has it.
bool is_note(string_view name) {
  const auto slash = name.find('/');
  string_view first = name.substr(0, slash);
  if (slash == string_view::npos && first.ends_with('\n')) first.remove_suffix(1);
  return first.size() >= 4 && first.starts_with("__") && first.ends_with("__");
}

// Where the folders end that WebDataset's expression, "^((?:.*/|)[^.]+)[.]([^/]*)$", begins with:
// after the last slash, of the first line of a name that has several.
std::size_t folders_end(string_view name) {
  const auto slash = name.substr(0, name.find('\n')).rfind('/');
  return slash == string_view::npos ? 0 : slash + 1;
}

// The dot at which a name is cut whose folders end at `begin`.
std::optional<std::size_t> cut_from(string_view name, std::size_t begin) {
  const auto dot = name.find('.', begin);
  if (dot == string_view::npos || dot == begin) return std::nullopt;
  if (name.find('/', dot) != string_view::npos) return std::nullopt;
  return dot;
}

std::optional<std::size_t> cut_of(string_view name) {
  const std::size_t begin = folders_end(name);
  if (const auto dot = cut_from(name, begin)) return dot;
  if (begin == 0) return std::nullopt;
  const auto slash = name.substr(0, begin - 1).rfind('/');
  return cut_from(name, slash == string_view::npos ? 0 : slash + 1);
}

// Without single underscores between digits; nothing where there are others.
std::optional<std::string> without_underscores(string_view digits) {
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const bool between = i > 0 && i + 1 < digits.size() && digits[i - 1] != '_';
    if (digits[i] == '_' && !between) return std::nullopt;
    if (digits[i] != '_') out += digits[i];
  }
  return out;
}

}  // namespace

std::optional<TarName> split_tar_name(string_view name) {
  if (is_note(name)) return std::nullopt;
  const auto dot = cut_of(name);
  if (!dot) return std::nullopt;
  return TarName{name.substr(0, *dot), base::lowered(name.substr(*dot + 1))};
}

string_view ending_of(string_view part) {
  const auto dot = part.rfind('.');
  return dot == string_view::npos ? part : part.substr(dot + 1);
}

bool is_decoded_picture(string_view ending) {
  return std::ranges::find(kDecodedPictures, ending) != kDecodedPictures.end();
}

bool is_other_picture(string_view ending) {
  return std::ranges::find(kOthers, ending) != kOthers.end();
}

std::optional<std::int64_t> label_in(string_view text) {
  const auto begin = text.find_first_not_of(kBlanks);
  if (begin == string_view::npos) return std::nullopt;
  text = text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  // Two signs are no number; from_chars would take the second.
  if (text.empty() || text[0] < '0' || text[0] > '9') return std::nullopt;
  const auto digits = without_underscores(text);
  if (!digits) return std::nullopt;
  const std::string whole = (negative ? "-" : "") + *digits;
  std::int64_t label = 0;
  const char* const end = whole.data() + whole.size();
  const auto [stop, err] = std::from_chars(whole.data(), end, label);
  if (err != std::errc{} || stop != end) return std::nullopt;
  return label;
}

}  // namespace flatout::data
