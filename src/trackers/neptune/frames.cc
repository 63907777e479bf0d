#include "trackers/neptune/frames.h"

#include <algorithm>
#include <cstring>

#include "base/little_endian.h"

namespace flatout::trackers::neptune {
namespace {

std::unexpected<base::Error> no_frame() {
  return base::fail(base::ErrorCode::kCorrupt,
                    "the reader of its Parquet files said what is no "
                    "frame");
}

// Takes from the front of a payload.
class Cursor {
 public:
  explicit Cursor(std::string_view left) : left_(left) {}
  bool take(std::size_t bytes, std::string_view& out) {
    if (left_.size() < bytes) return false;
    out = left_.substr(0, bytes);
    left_.remove_prefix(bytes);
    return true;
  }
  bool count(std::uint32_t& out) {
    std::string_view bytes;
    if (!take(4, bytes)) return false;
    out = base::load<std::uint32_t>(bytes, 0);
    return true;
  }

 private:
  std::string_view left_;
};

bool take_names(Cursor& cursor, std::vector<std::string_view>& names) {
  std::uint32_t count = 0;
  if (!cursor.count(count)) return false;
  for (std::uint32_t i = 0; i < count; ++i) {
    std::uint32_t length = 0;
    std::string_view name;
    if (!cursor.count(length) || !cursor.take(length, name)) return false;
    names.push_back(name);
  }
  return true;
}

}  // namespace

base::Result<void> Frames::read_exactly(std::span<char> into) {
  constexpr std::size_t kBuffer = 1U << 16;
  while (!into.empty()) {
    if (at_ == buffer_.size()) {
      buffer_.resize(kBuffer);
      at_ = 0;
      const auto got = rows_.read(buffer_);
      buffer_.resize(got ? *got : 0);
      if (!got) return std::unexpected(got.error());
      if (*got == 0) {
        return base::fail(base::ErrorCode::kCorrupt,
                          "the reader of its Parquet files ended before it was through: a file is "
                          "damaged, or memory ran out");
      }
    }
    const std::size_t some = std::min(into.size(), buffer_.size() - at_);
    std::memcpy(into.data(), buffer_.data() + at_, some);
    at_ += some;
    into = into.subspan(some);
  }
  return {};
}

base::Result<Frame> Frames::next() {
  char head[5];
  if (auto done = read_exactly(head); !done) return std::unexpected(done.error());
  const auto length = base::load<std::uint32_t>(std::string_view(head, sizeof head), 1);
  if (length > kLargestFrame) return no_frame();
  Frame frame{.kind = head[0], .payload = std::string(length, '\0')};
  if (auto done = read_exactly(frame.payload); !done) return std::unexpected(done.error());
  return frame;
}

base::Result<void> each_number(std::string_view payload,
                               const std::function<base::Result<void>(const NumberRow&)>& take) {
  Cursor cursor(payload);
  std::vector<std::string_view> names;
  std::uint32_t count = 0;
  std::string_view indices, times, steps, values;
  if (!take_names(cursor, names) || !cursor.count(count) ||
      !cursor.take(std::size_t{count} * 4, indices) ||
      !cursor.take(std::size_t{count} * 8, times) || !cursor.take(std::size_t{count} * 8, steps) ||
      !cursor.take(std::size_t{count} * 8, values)) {
    return no_frame();
  }
  for (std::size_t i = 0; i < count; ++i) {
    const auto index = base::load<std::uint32_t>(indices, 4 * i);
    if (index >= names.size()) return no_frame();
    if (auto done = take({.name = names[index],
                          .ms = base::load<std::int64_t>(times, 8 * i),
                          .step_millionths = base::load<std::int64_t>(steps, 8 * i),
                          .value = base::load<double>(values, 8 * i)});
        !done) {
      return done;
    }
  }
  return {};
}

}  // namespace flatout::trackers::neptune
