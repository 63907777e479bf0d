#include "app/run_or_trace.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "app/stored_runs.h"
#include "host/memory_room.h"
#include "trace/open_trace.h"

namespace flatout::app {

base::Result<run::Timeline> open_run_or_trace(const std::string& home_option,
                                              const std::string& reference, Meant meant) {
  std::error_code error;
  const bool there = std::filesystem::exists(reference, error);
  if (meant == Meant::kFile && (there || reference.contains('/'))) {
    return trace::open_trace(reference, host::memory_room_bytes({}));
  }
  auto run = open_run(home_option, reference);
  if (run) return std::move(run->timeline);
  const bool no_run = run.error().code == base::ErrorCode::kNotFound;
  if (no_run && (meant == Meant::kFile || there))
    return trace::open_trace(reference, host::memory_room_bytes({}));
  return std::unexpected(run.error());
}

}  // namespace flatout::app
