#include "trace/chrome/paired_events.h"

#include <utility>

namespace flatout::trace {

bool PairedEvents::event(const ChromeEvent& event) {
  if (event.phase == 'B') {
    begin(event);
    return true;
  }
  return event.phase == 'E' ? end(event) : sink_.event(event);
}

void PairedEvents::begin(const ChromeEvent& event) {
  if (open_ >= kMostOpen || !event.begin_ns) {
    ++unpaired_;
    return;
  }
  threads_[{event.process.text, event.thread.text}].push_back(event);
  ++open_;
}

bool PairedEvents::end(const ChromeEvent& event) {
  const auto thread = threads_.find({event.process.text, event.thread.text});
  if (thread == threads_.end() || !event.begin_ns) {
    ++unpaired_;
    return true;
  }
  ChromeEvent whole = std::move(thread->second.back());
  thread->second.pop_back();
  if (thread->second.empty()) threads_.erase(thread);
  --open_;
  std::int64_t length = 0;
  if (__builtin_sub_overflow(*event.begin_ns, *whole.begin_ns, &length) || length < 0) length = 0;
  whole.phase = 'X';
  whole.duration_ns = length;
  return sink_.event(whole);
}

}  // namespace flatout::trace
