// A curve of any number of points, summed up so that a picture of any part of it is made of a few
// thousand entries: 32 points an entry, 16 of these an entry of the next level, and so on. One
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace flatout::store {

class Pyramid {
 public:
  static constexpr std::size_t kBasePoints = 32;
  static constexpr std::size_t kFanOut = 16;
  static constexpr std::int64_t kNoStep = -1;

  struct Entry {
    std::int64_t t_ns = 0;  // of its last point; never before that of the entry before
    std::int64_t step = kNoStep;
    double min = std::numeric_limits<double>::quiet_NaN();  // of its finite values
    double max = std::numeric_limits<double>::quiet_NaN();
    double last = 0;
    double sum = 0;  // of the finite ones
    std::uint64_t finite = 0;
  };

  // What is known of all points together.
  struct Summary {
    std::uint64_t count = 0;
    std::int64_t first_ns = 0, first_step = kNoStep;
    double first = 0;
    bool has_steps = true;
    bool steps_ascend = true;  // a run that was resumed may go back
    Entry whole;               // its last is the latest
  };

  Pyramid() = default;
  // Without entries, which set_levels() brings.
  explicit Pyramid(const Summary& summary) : summary_(summary) {}

  void add(std::int64_t t_ns, std::int64_t step, double value);

  const Summary& summary() const { return summary_; }
  std::size_t count() const { return summary_.count; }
  std::int64_t first_ns() const { return summary_.first_ns; }
  std::int64_t last_ns() const { return summary_.whole.t_ns; }
  std::int64_t first_step() const { return summary_.first_step; }
  const Entry& whole() const { return summary_.whole; }
  double first() const { return summary_.first; }
  // Of the finite values; NaN without any.
  double mean() const {
    const Entry& all = summary_.whole;
    return all.finite == 0 ? all.min : all.sum / static_cast<double>(all.finite);
  }
  bool has_steps() const { return summary_.has_steps; }
  bool steps_ascend() const { return summary_.steps_ascend; }

  std::size_t levels() const { return levels_.size(); }
  // Entries of a level, the last one of the points that have come since.
  std::vector<Entry> entries(std::size_t level, std::size_t first, std::size_t last) const;
  std::size_t size(std::size_t level) const;
  Entry entry(std::size_t level, std::size_t number) const;

  std::size_t bytes() const;

  // All levels as bytes, appended; back from them, which may be any: false where they are no levels
  // of as many points as the summary counts, in order of time.
  void append_levels(std::string& out) const;
  bool set_levels(std::string_view bytes);

 private:
  struct Level {
    std::vector<Entry> entries;
    Entry open;
    std::size_t in_open = 0;
  };
  void add_to(std::size_t level, const Entry& entry);

  std::vector<Level> levels_{1};
  Summary summary_;
};
static_assert(std::is_trivially_copyable_v<Pyramid::Entry> && sizeof(Pyramid::Entry) == 56,
              "entries are copied as they are");

// What `entry` stands for, into `to`.
void include(Pyramid::Entry& to, const Pyramid::Entry& entry);

}  // namespace flatout::store
