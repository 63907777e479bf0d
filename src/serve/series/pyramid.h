// A curve of any number of points, summed up so that a picture of any part of it is made of a few
// thousand entries: 32 points an entry, 16 of these an entry of the next level, and so on. One
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace flatout::serve {

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

  void add(std::int64_t t_ns, std::int64_t step, double value);

  std::size_t count() const { return count_; }
  std::int64_t first_ns() const { return first_ns_; }
  std::int64_t last_ns() const { return whole_.t_ns; }
  std::int64_t first_step() const { return first_step_; }
  const Entry& whole() const { return whole_; }  // of all points; its last is the latest
  double first() const { return first_; }
  // Of the finite values; NaN without any.
  double mean() const {
    return whole_.finite == 0 ? whole_.min : whole_.sum / static_cast<double>(whole_.finite);
  }
  bool has_steps() const { return has_steps_; }
  // A run that was resumed may go back.
  bool steps_ascend() const { return steps_ascend_; }

  std::size_t levels() const { return levels_.size(); }
  // Entries of a level, the last one of the points that have come since.
  std::vector<Entry> entries(std::size_t level, std::size_t first, std::size_t last) const;
  std::size_t size(std::size_t level) const;
  Entry entry(std::size_t level, std::size_t number) const;

  std::size_t bytes() const;

 private:
  struct Level {
    std::vector<Entry> entries;
    Entry open;
    std::size_t in_open = 0;
  };
  void add_to(std::size_t level, const Entry& entry);

  std::vector<Level> levels_{1};
  Entry whole_;
  std::size_t count_ = 0;
  std::int64_t first_ns_ = 0, first_step_ = kNoStep;
  double first_ = 0;
  bool has_steps_ = true, steps_ascend_ = true;
};

// What `entry` stands for, into `to`.
void include(Pyramid::Entry& to, const Pyramid::Entry& entry);

}  // namespace flatout::serve
