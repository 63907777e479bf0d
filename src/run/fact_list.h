// What a process said of itself: the facts as they were written and, decoded once as each comes in,
// as types. Plain value.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <utility>
#include <vector>

#include "run/event.h"
#include "run/observed.h"

namespace flatout::run {

class FactList {
 public:
  using value_type = Fact;
  using const_iterator = std::vector<Fact>::const_iterator;

  FactList() = default;
  FactList(std::initializer_list<Fact> facts) {
    for (const Fact& fact : facts) push_back(fact);
  }

  void push_back(Fact fact) {
    observe(fact, observed_);
    written_.push_back(std::move(fact));
  }
  void clear() { *this = FactList(); }
  template <typename Predicate>
  void erase_if(Predicate predicate) {
    FactList kept;
    for (Fact& fact : written_) {
      if (!predicate(std::as_const(fact))) kept.push_back(std::move(fact));
    }
    *this = std::move(kept);
  }

  // As they were written, for storing and showing them.
  const_iterator begin() const { return written_.begin(); }
  const_iterator end() const { return written_.end(); }
  std::size_t size() const { return written_.size(); }
  bool empty() const { return written_.empty(); }
  const Fact& back() const { return written_.back(); }
  const Fact& operator[](std::size_t i) const { return written_[i]; }

  const Observed& observed() const { return observed_; }

  friend bool operator==(const FactList& a, const FactList& b) { return a.written_ == b.written_; }

 private:
  std::vector<Fact> written_;
  Observed observed_;
};

// Of what may be repeated: the first and the latest; null where nothing was said.
template <typename T>
const T* first_of(const std::vector<T>& said) {
  return said.empty() ? nullptr : &said.front();
}
template <typename T>
const T* latest_of(const std::vector<T>& said) {
  return said.empty() ? nullptr : &said.back();
}

}  // namespace flatout::run
