// Any bytes as a trace in Chrome's format: read, made a Timeline, explained, and held against
// itself as the trace of another rank, for which nobody waits.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "analyse/analyse.h"
#include "analyse/stragglers/stragglers.h"
#include "trace/byte_source.h"
#include "trace/chrome/paired_events.h"
#include "trace/chrome/read_events.h"
#include "trace/kineto/timeline_builder.h"
#include "whole_account.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace flatout;  // NOLINT(google-build-using-namespace): a program of one file
  trace::MemoryBytes bytes({reinterpret_cast<const char*>(data), size});
  trace::TimelineBuilder builder;
  trace::PairedEvents pairs(builder);
  if (!trace::read_chrome(bytes, pairs)) return 0;
  const run::Timeline timeline = builder.take("trace.json");
  const analyse::Analysis analysis = analyse::measure(timeline);
  fuzz::check_accounts(analyse::report_of(timeline, analysis));
  const analyse::RankTrace rank = analyse::rank_trace_of(timeline, analysis);
  const std::array<analyse::RankTrace, 2> ranks = {rank, rank};
  if (analyse::compare_ranks(ranks).straggler) std::abort();
  return 0;
}
