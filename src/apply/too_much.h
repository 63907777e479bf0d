// At which numbers a knob made the program fail or hang, or was refused for its size:
// neither those nor larger ones are tried again. Smaller ones may do: a machine has memory
// for some workers and not for more. One thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace flatout::apply {

class TooMuch {
 public:
  // The program failed at `value`, a JSON literal; `from` is what the knob was before. Only
  // a number above `from` counts: what fails below it says nothing of where it gets too much.
  void failed(const std::string& knob, std::string_view value, std::string_view from);

  // The least number at which it failed.
  std::optional<double> of(const std::string& knob) const;
  bool holds(const std::string& knob, std::string_view value) const;

 private:
  std::map<std::string, double> least_;
};

}  // namespace flatout::apply
