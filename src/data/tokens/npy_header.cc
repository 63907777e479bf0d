#include "data/tokens/npy_header.h"

#include <optional>
#include <string>

#include "base/little_endian.h"

namespace flatout::data {
namespace {

using base::ErrorCode;
using base::Result;

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 62;

// Takes the few kinds of values that a header's dictionary has, from left to right.
class DictReader {
 public:
  explicit DictReader(std::string_view text) : rest_(text) {}

  bool take(char wanted) {
    skip_blanks();
    if (rest_.empty() || rest_.front() != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool word(std::string_view wanted) {
    skip_blanks();
    if (!rest_.starts_with(wanted)) return false;
    rest_.remove_prefix(wanted.size());
    return true;
  }

  std::optional<std::string_view> quoted() {
    const char quote = take('\'') ? '\'' : take('"') ? '"' : '\0';
    if (quote == '\0') return std::nullopt;
    const std::size_t end = rest_.find(quote);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view out = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return out;
  }

  // Up to 2^62, in digits; Python 2 put an L behind.
  std::optional<std::int64_t> whole() {
    skip_blanks();
    std::uint64_t value = 0;
    std::size_t digits = 0;
    for (; digits < rest_.size() && rest_[digits] >= '0' && rest_[digits] <= '9'; ++digits) {
      value = value * 10 + static_cast<std::uint64_t>(rest_[digits] - '0');
      if (value > kMostBytes) return std::nullopt;
    }
    if (digits == 0) return std::nullopt;
    rest_.remove_prefix(digits);
    if (!rest_.empty() && rest_.front() == 'L') rest_.remove_prefix(1);
    return static_cast<std::int64_t>(value);
  }

  bool blank() {
    skip_blanks();
    return rest_.empty();
  }

 private:
  void skip_blanks() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\n'))
      rest_.remove_prefix(1);
  }

  std::string_view rest_;
};

struct Told {
  std::optional<std::string_view> descr;
  std::optional<bool> fortran_order;
  std::optional<std::vector<std::int64_t>> shape;
};

std::optional<std::vector<std::int64_t>> read_shape(DictReader& dict) {
  std::vector<std::int64_t> out;
  if (!dict.take('(')) return std::nullopt;
  while (!dict.take(')')) {
    const auto axis = dict.whole();
    if (!axis || out.size() == kMostNpyAxes) return std::nullopt;
    out.push_back(*axis);
    if (!dict.take(',')) return dict.take(')') ? std::optional(out) : std::nullopt;
  }
  return out;
}

bool read_value(DictReader& dict, std::string_view key, Told& out) {
  if (key == "descr") return (out.descr = dict.quoted()).has_value();
  if (key == "shape") return (out.shape = read_shape(dict)).has_value();
  if (key != "fortran_order") return false;
  out.fortran_order = dict.word("True");
  return *out.fortran_order || dict.word("False");
}

// Absent where it is no dictionary of these three.
std::optional<Told> read_dict(std::string_view text) {
  DictReader dict(text);
  Told out;
  if (!dict.take('{')) return std::nullopt;
  while (!dict.take('}')) {
    const auto key = dict.quoted();
    if (!key || !dict.take(':') || !read_value(dict, *key, out)) return std::nullopt;
    if (dict.take(',')) continue;
    if (!dict.take('}')) return std::nullopt;
    break;
  }
  if (!dict.blank() || !out.descr || !out.fortran_order || !out.shape) return std::nullopt;
  return out;
}

std::optional<ElementType> type_of(std::string_view descr) {
  for (std::size_t i = 0; i < kElementTypes.size(); ++i) {
    const std::string_view known = kElementTypes[i].descr;
    // A single byte has no order; "=" is the writer's own, and all of ours are little endian.
    const bool order = descr.starts_with(known.front()) || descr.starts_with('=') ||
                       (known.front() == '|' && descr.starts_with('<'));
    if (order && descr.substr(1) == known.substr(1)) return static_cast<ElementType>(i);
  }
  return std::nullopt;
}

Result<NpyHeader> header_of(const Told& told, std::uint64_t data_offset) {
  const auto type = type_of(*told.descr);
  if (!type) {
    return base::fail(ErrorCode::kInvalid,
                      "its numbers are \"" + std::string(told.descr->substr(0, 16)) +
                          "\"; save it again as little-endian integers or floats");
  }
  if (*told.fortran_order) {
    return base::fail(ErrorCode::kInvalid,
                      "it is in Fortran order; save numpy.ascontiguousarray() of it");
  }
  NpyHeader out{.type = *type, .shape = *told.shape, .data_offset = data_offset};
  std::uint64_t bytes = bytes_of(*type);
  for (const std::int64_t axis : out.shape) {
    if (axis != 0 && bytes > kMostBytes / static_cast<std::uint64_t>(axis))
      return base::fail(ErrorCode::kCorrupt, "its shape is larger than any file");
    bytes *= static_cast<std::uint64_t>(axis);
  }
  out.elements = static_cast<std::int64_t>(bytes / bytes_of(*type));
  return out;
}

}  // namespace

Result<NpyHeader> parse_npy_header(std::string_view start) {
  start = start.substr(0, kMostNpyHeaderBytes);
  constexpr std::size_t kLengthOffset = 8;  // behind the magic and the version
  if (!start.starts_with(kNpyMagic) || start.size() < kLengthOffset + 4)
    return base::fail(ErrorCode::kCorrupt, "it is no .npy file");
  const auto major = static_cast<unsigned char>(start[6]);
  if (major < 1 || major > 3) {
    return base::fail(ErrorCode::kInvalid, ".npy files of version " + std::to_string(major) +
                                               " are not known; save it as version 1 to 3");
  }
  const bool is_short = major == 1;
  const std::size_t begin = kLengthOffset + (is_short ? 2 : 4);
  const std::size_t length = is_short ? base::load<std::uint16_t>(start, kLengthOffset)
                                      : base::load<std::uint32_t>(start, kLengthOffset);
  if (length > start.size() - begin)
    return base::fail(ErrorCode::kCorrupt, "it ends within its header, or the header is too long");
  const auto told = read_dict(start.substr(begin, length));
  if (!told) {
    return base::fail(
        ErrorCode::kCorrupt,
        "its header is not that of one array of numbers (descr, fortran_order, shape)");
  }
  return header_of(*told, begin + length);
}

}  // namespace flatout::data
