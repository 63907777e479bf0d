// Any recording, explained: records, each with its type and length before it,
// become a timeline, which is replayed, analysed and told in every form. What a
// user does with a run of somebody else, past the checksums of its file.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "app/explain.h"
#include "collect/replay/replay_source.h"
#include "records.h"
#include "report/html/html.h"
#include "report/json.h"
#include "report/text.h"
#include "store/timeline_builder.h"

namespace {

using namespace flatout;  // NOLINT(google-build-using-namespace): a program of one file

run::Timeline timeline_of(std::string_view bytes) {
  store::TimelineBuilder builder;
  fuzz::each_record(bytes, [&](const store::Frame& frame) { builder.add(frame); });
  return builder.finish(false);
}

// The recording comes out whole, in order and once.
void replay(const run::Timeline& timeline) {
  struct Count final : run::SampleSink {
    void add(const run::Sample&) override { ++samples; }
    std::size_t samples = 0;
  } count;
  auto recording = collect::recording_of(timeline);
  const std::size_t recorded = recording.samples.size();
  collect::ReplaySource source(std::move(recording), base::kSecond);
  for (const base::TimeNs now : {base::kSecond, 3600 * base::kSecond, INT64_MAX}) {
    if (!source.sample(now, count)) std::abort();
  }
  if (count.samples != recorded) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const run::Timeline timeline = timeline_of({reinterpret_cast<const char*>(data), size});
  replay(timeline);
  const auto [report, charts] = app::explain_with_charts(timeline, {});
  (void)report::to_text(report);
  (void)report::to_json(report);
  (void)report::to_html(report, charts);
  return 0;
}
