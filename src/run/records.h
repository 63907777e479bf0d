// Records<T>: what was recorded of one kind, in order of time, that is asked rather than held. It
// lies in memory, or elsewhere in blocks (RecordSource) of which an iterator holds one at a time,
// so that going over a day takes the memory of a few thousand items. Copies share what lies
// elsewhere. Reading is for any thread; own() and assignment are for one.
//
// An item's time is what record_time(item) gives: overloads stand beside each type.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace flatout::run {

// The order of a kind's items where nothing beside the type says more.
template <typename T>
bool record_before(const T& a, const T& b) {
  return record_time(a) < record_time(b);
}

// Stable. Nearly always sorted already: one pass then, and no memory.
template <typename T>
void sort_by_time(std::vector<T>& items) {
  const auto before = [](const T& a, const T& b) { return record_before(a, b); };
  if (!std::ranges::is_sorted(items, before)) std::ranges::stable_sort(items, before);
}

// What is known of a block without its items: times of its first and its last, and how many.
struct RecordBlockInfo {
  std::int64_t first_ns = 0;
  std::int64_t last_ns = 0;
  std::size_t count = 0;
};

// Where records lie that are not in memory. Any thread.
template <typename T>
class RecordSource {
 public:
  virtual ~RecordSource() = default;
  // In order of time; no block is empty.
  virtual std::span<const RecordBlockInfo> blocks() const = 0;
  // The items of one, in order of time. Fewer than its count, or none, where they can no longer be
  // read.
  virtual std::vector<T> load(std::size_t block) const = 0;
};

// Goes over the items, and holds the block in which it stands: a reference into it lives as long as
// an iterator there does.
template <typename T>
class RecordIterator {
 public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  using pointer = const T*;
  using reference = const T&;

  RecordIterator() = default;
  // Over items in memory.
  explicit RecordIterator(std::span<const T> items) : at_(items.data()), end_(at_ + items.size()) {
    if (at_ == end_) at_ = end_ = nullptr;
  }
  // Over those of `source` with from_ns <= time < to_ns, from `block` on.
  RecordIterator(const RecordSource<T>* source, std::size_t block, std::int64_t from_ns,
                 std::int64_t to_ns)
      : source_(source), next_(block), to_ns_(to_ns) {
    load_next(from_ns);
  }

  const T& operator*() const { return *at_; }
  const T* operator->() const { return at_; }
  RecordIterator& operator++() {
    if (++at_ == end_) load_next(std::numeric_limits<std::int64_t>::min());
    return *this;
  }
  RecordIterator operator++(int) {
    RecordIterator before = *this;
    ++*this;
    return before;
  }
  // Of iterators over the same records.
  friend bool operator==(const RecordIterator& a, const RecordIterator& b) {
    if (a.at_ == nullptr || b.at_ == nullptr) return a.at_ == b.at_;
    return a.next_ == b.next_ && a.end_ - a.at_ == b.end_ - b.at_;
  }
  friend bool operator==(const RecordIterator& a, std::default_sentinel_t) {
    return a.at_ == nullptr;
  }

 private:
  void load_next(std::int64_t from_ns) {
    at_ = end_ = nullptr;
    held_.reset();
    if (source_ == nullptr) return;
    const auto blocks = source_->blocks();
    while (at_ == end_ && next_ < blocks.size() && blocks[next_].first_ns < to_ns_) {
      const bool whole = blocks[next_].first_ns >= from_ns && blocks[next_].last_ns < to_ns_;
      held_ = std::make_shared<const std::vector<T>>(source_->load(next_++));
      at_ = held_->data();
      end_ = at_ + held_->size();
      if (!whole) narrow(from_ns);
    }
    if (at_ == end_) at_ = end_ = nullptr;
  }
  void narrow(std::int64_t from_ns) {
    at_ =
        std::partition_point(at_, end_, [&](const T& item) { return record_time(item) < from_ns; });
    end_ =
        std::partition_point(at_, end_, [&](const T& item) { return record_time(item) < to_ns_; });
  }

  const T* at_ = nullptr;
  const T* end_ = nullptr;
  std::shared_ptr<const std::vector<T>> held_;
  const RecordSource<T>* source_ = nullptr;
  std::size_t next_ = 0;  // block
  std::int64_t to_ns_ = std::numeric_limits<std::int64_t>::max();
};

// A part of Records, which must outlive it.
template <typename T>
class RecordRange {
 public:
  explicit RecordRange(RecordIterator<T> begin) : begin_(std::move(begin)) {}
  RecordIterator<T> begin() const { return begin_; }
  std::default_sentinel_t end() const { return {}; }
  bool empty() const { return begin_ == std::default_sentinel; }

 private:
  RecordIterator<T> begin_;
};

template <typename T>
class Records {
 public:
  using value_type = T;

  Records() = default;
  Records(std::initializer_list<T> items) : own_(items) {}
  Records(std::vector<T> items) : own_(std::move(items)) {}  // NOLINT(google-explicit-constructor)
  explicit Records(std::shared_ptr<const RecordSource<T>> source) : source_(std::move(source)) {}

  // What was recorded. A pass may give less, or nothing: a block that can no longer be read gives
  // fewer items than it counts. What must have an item asks for it (front(), begin() == end()).
  std::size_t size() const {
    if (!source_) return own_.size();
    std::size_t count = 0;
    for (const RecordBlockInfo& block : source_->blocks()) count += block.count;
    return count;
  }
  bool empty() const { return source_ ? source_->blocks().empty() : own_.empty(); }

  // A pass over all: each block is read once.
  RecordIterator<T> begin() const {
    if (!source_) return RecordIterator<T>(std::span<const T>(own_));
    return {source_.get(), 0, std::numeric_limits<std::int64_t>::min(),
            std::numeric_limits<std::int64_t>::max()};
  }
  std::default_sentinel_t end() const { return {}; }

  // Those with from_ns <= time < to_ns: only blocks that hold some are read.
  RecordRange<T> between(std::int64_t from_ns, std::int64_t to_ns) const {
    if (source_) {
      const auto blocks = source_->blocks();
      const auto first = std::ranges::partition_point(
          blocks, [&](const RecordBlockInfo& block) { return block.last_ns < from_ns; });
      return RecordRange<T>(
          {source_.get(), static_cast<std::size_t>(first - blocks.begin()), from_ns, to_ns});
    }
    const auto time = [](const T& item) { return record_time(item); };
    const auto first = std::ranges::lower_bound(own_, from_ns, {}, time);
    const auto last =
        std::ranges::lower_bound(first, own_.end(), std::max(from_ns, to_ns), {}, time);
    return RecordRange<T>(RecordIterator<T>(std::span<const T>(first, last)));
  }

  // From the last to the first: take(item). Each block is read once.
  template <typename Take>
  void backwards(const Take& take) const {
    const auto all = [&take](std::span<const T> items) {
      for (std::size_t i = items.size(); i-- > 0;) take(items[i]);
    };
    if (!source_) return all(own_);
    for (std::size_t i = source_->blocks().size(); i-- > 0;) all(source_->load(i));
  }

  // Of records that are not empty(): the times of the first and the last, which cost nothing.
  std::int64_t first_ns() const {
    return source_ ? source_->blocks().front().first_ns : record_time(own_.front());
  }
  std::int64_t last_ns() const {
    return source_ ? source_->blocks().back().last_ns : record_time(own_.back());
  }
  std::optional<T> front() const { return at(0); }
  std::optional<T> back() const {
    const std::size_t count = size();
    return count == 0 ? std::nullopt : at(count - 1);
  }

  // The one of this number, from 0; absent where there is none, or its block can no longer be read
  // as a whole.
  std::optional<T> at(std::size_t number) const {
    if (!source_) return number < own_.size() ? std::optional(own_[number]) : std::nullopt;
    const auto blocks = source_->blocks();
    for (std::size_t i = 0; i < blocks.size(); number -= blocks[i++].count) {
      if (number >= blocks[i].count) continue;
      auto items = source_->load(i);
      if (items.size() != blocks[i].count) return std::nullopt;
      return std::move(items[number]);
    }
    return std::nullopt;
  }

  // The items as a vector of this object's own, to change it. What lay elsewhere is first read as a
  // whole.
  std::vector<T>& own() {
    if (const auto source = std::exchange(source_, nullptr)) {
      own_.clear();
      for (std::size_t i = 0; i < source->blocks().size(); ++i) {
        auto items = source->load(i);
        std::ranges::move(items, std::back_inserter(own_));
      }
    }
    return own_;
  }
  void push_back(T item) { own().push_back(std::move(item)); }

  friend bool operator==(const Records& a, const Records& b) {
    auto left = a.begin();
    auto right = b.begin();
    for (; left != a.end() && right != b.end(); ++left, ++right) {
      if (!(*left == *right)) return false;
    }
    return left == a.end() && right == b.end();
  }

 private:
  std::vector<T> own_;
  std::shared_ptr<const RecordSource<T>> source_;
};

}  // namespace flatout::run
