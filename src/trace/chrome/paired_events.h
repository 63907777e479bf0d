// Makes spans of the pairs of 'B' and 'E' that Chrome's format also has for them: an 'E' ends the
// last 'B' of its process and thread that is still open. What other events are is passed on as it
// is. A pair comes when its end does, so that spans may be out of order of time.
//
// Memory: at most kMostOpen events that are open; further ones, ends without a begin, and begins
// without an end are counted.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "trace/chrome/event.h"

namespace flatout::trace {

class PairedEvents : public ChromeSink {
 public:
  static constexpr std::size_t kMostOpen = 16'384;

  explicit PairedEvents(ChromeSink& sink) : sink_(sink) {}  // which must outlive it

  bool event(const ChromeEvent& event) override;
  void device(const ChromeDevice& device) override { sink_.device(device); }
  void process(const ChromeProcess& process) override { sink_.process(process); }

  // Events that belong to no pair, those that are still open included.
  std::size_t unpaired() const { return unpaired_ + open_; }

 private:
  using Thread = std::pair<std::string, std::string>;  // process and thread, as written

  void begin(const ChromeEvent& event);
  bool end(const ChromeEvent& event);

  ChromeSink& sink_;
  std::map<Thread, std::vector<ChromeEvent>> threads_;
  std::size_t open_ = 0;
  std::size_t unpaired_ = 0;
};

}  // namespace flatout::trace
