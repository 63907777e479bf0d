// Sets an argument of one call in a Python source, and touches nothing else of it. Pure; any
// thread. No Python is run: brackets, texts and comments are followed, which is enough to find a
// call's arguments, and whatever is not plain is left alone with a reason.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace flatout::apply {

// Where an argument goes.
struct CallPlace {
  int line = 0;           // on which the call begins, counted from 1
  std::string_view call;  // "DataLoader"
};

struct Argument {
  std::string_view keyword;     // "num_workers"
  std::optional<int> position;  // from 0, where it may be given without its keyword
  std::string value;            // as Python writes it
};

// Of `text` and `why_not` one is empty.
struct SourceEdit {
  std::string text;     // the whole source, changed
  std::string why_not;  // one clause, without the place
};

SourceEdit with_argument(std::string_view source, const CallPlace& place, const Argument& argument);

}  // namespace flatout::apply
