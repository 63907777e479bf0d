#include "cli/run_facts.h"

#include <unistd.h>

#include <climits>
#include <filesystem>

#include "base/process.h"
#include "collect/limits.h"
#include "host/cpus.h"
#include "launch/secrets.h"

namespace flatout::cli {

std::string host_name() {
  char name[HOST_NAME_MAX + 1] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "";
}

run::RunInfo run_facts(const RunOptions& options, const base::Clock& clock) {
  run::RunInfo info;
  info.name = options.name;
  info.command = options.argv ? launch::mask_secrets(options.command)
                              : std::vector<std::string>{options.command.front()};
  std::error_code gone;  // a working directory may be deleted under us
  info.cwd = std::filesystem::current_path(gone).string();
  info.host = host_name();
  info.started_wall_ns = clock.wall();
  info.started_ns = clock.monotonic();
  info.rate_hz = options.rate_hz;
  if (const auto self = base::process_id(::getpid())) {
    info.recorder_pid = self->pid;
    info.recorder_start_ticks = self->start_ticks;
  }
  info.boot_id = base::boot_id();
  const collect::Limits limits = collect::read_limits({}, host::affinity_cpus());
  info.cpus = limits.cpus;
  info.cpu_limit = limits.cpu_quota.value_or(0);
  info.cpu_model = limits.cpu_model;
  info.cpu_bf16 = limits.cpu_bf16;
  info.memory_bytes = limits.memory_bytes.value_or(0);
  info.memory_limit_bytes = limits.memory_limit_bytes.value_or(0);
  info.flatout_version = FLATOUT_VERSION;
  return info;
}

}  // namespace flatout::cli
