// Any bytes as a trace in Chrome's format: read, made a Timeline, explained.
#include <cstdint>
#include <string_view>

#include "analyse/analyse.h"
#include "trace/byte_source.h"
#include "trace/chrome/read_events.h"
#include "trace/kineto/timeline_builder.h"
#include "whole_account.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace flatout;  // NOLINT(google-build-using-namespace): a program of one file
  trace::MemoryBytes bytes({reinterpret_cast<const char*>(data), size});
  trace::TimelineBuilder builder;
  if (!trace::read_chrome(bytes, builder)) return 0;
  fuzz::check_accounts(analyse::analyse(builder.take("trace.json")));
  return 0;
}
