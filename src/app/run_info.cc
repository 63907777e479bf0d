#include "app/run_info.h"

#include <unistd.h>

#include <climits>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/process.h"
#include "collect/limits.h"
#include "host/cpus.h"
#include "launch/secrets.h"

namespace flatout::app {

std::string host_name() {
  char name[HOST_NAME_MAX + 1] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "";
}

run::RunInfo run_facts(const SessionOptions& options, const base::Clock& clock) {
  run::RunInfo info;
  info.name = options.name;
  info.command = launch::stored_command(options.command, options.argv);
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

std::string with_masked_message(const std::string& json) {
  auto failure = nlohmann::json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!failure.is_object()) return json;
  const auto message = failure.find("message");
  if (message == failure.end() || !message->is_string()) return json;
  *message = launch::mask_secrets_in(*message);
  return failure.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string masked_value(const run::KnobSetting& setting, const std::string& literal) {
  const auto value = nlohmann::json::parse(literal, nullptr, /*allow_exceptions=*/false);
  const auto place = setting.pattern.find("{}");
  if (!value.is_string() || place == std::string::npos) return literal;
  std::string word = setting.pattern;
  word.replace(place, 2, value.get<std::string>());
  if (word.starts_with("env:")) word.erase(0, 4);
  const bool secret = launch::mask_secrets(std::vector{word}).front() != word;
  return secret ? nlohmann::json(launch::kMasked).dump() : literal;
}

}  // namespace flatout::app
