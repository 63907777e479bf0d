// Which run belongs to which. A run may name a parent, of which it is a trial; what the files say
// is taken as it is: a parent that is gone, a trial of a trial, a circle of parents.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

namespace flatout::store {

struct RunLink {
  std::string_view id;
  std::string_view parent;  // "" = none
};

// Of runs that were listed together. Refers to the ids that it was made of. Pure.
class Parentage {
 public:
  explicit Parentage(std::span<const RunLink> runs);

  // What a user started: the parent's parent and so on, as far as they are there; itself where it
  // has none. Of a circle each stands by itself. `id` must be among the runs.
  std::string_view first_of(std::string_view id) const { return first_.at(id); }
  bool is_trial(std::string_view id) const { return first_of(id) != id; }
  // Whether `id` is `above`, a trial of it, a trial of that, and so on.
  bool is_or_below(std::string_view id, std::string_view above) const;

 private:
  void follow(std::string_view id);

  std::unordered_map<std::string_view, std::string_view> parent_;  // of each that has one here
  std::unordered_map<std::string_view, std::string_view> first_;
};

}  // namespace flatout::store
