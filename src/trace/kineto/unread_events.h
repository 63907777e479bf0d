// Events of a trace in Chrome's format that stand for nothing in a Timeline: how many of which
// category, so that a file of another program is not taken for an empty trace, and what a device of
// another kind did is not passed over in silence.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "trace/chrome/event.h"

namespace flatout::trace {

class UnreadEvents {
 public:
  void add(const ChromeEvent& event);

  // Why a file without any other event is no trace that flatout reads: how many there are, and what
  // wrote them, as far as it can be known.
  std::string why_no_trace() const;
  // Of events that say what a device did; "" = there are none.
  std::string devices_note() const;

 private:
  std::map<std::string, std::int64_t, std::less<>> categories_;
  std::int64_t count_ = 0;
  bool of_xla_ = false;
};

}  // namespace flatout::trace
