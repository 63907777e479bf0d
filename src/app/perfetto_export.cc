#include "app/perfetto_export.h"

#include "app/perfetto_lanes.h"

namespace flatout::app {

base::Result<void> write_perfetto(const run::Timeline& timeline,
                                  const report::TraceJson::Sink& sink) {
  report::TraceJson out(sink);
  out.begin(timeline);
  PerfettoFile file(timeline, out);
  write_training(file);
  write_threads(file);  // before the devices: an arrow begins in a span that is there
  write_devices(file);
  write_workers(file);
  write_readings(file);
  return out.finish();
}

}  // namespace flatout::app
