#include "launch/plan.h"

#include <unistd.h>

#include <system_error>

namespace flatout::launch {
namespace {

namespace fs = std::filesystem;

bool names(std::string_view entry, std::string_view name) {
  return entry.size() > name.size() && entry[name.size()] == '=' && entry.starts_with(name);
}

constexpr std::string_view kInjection = "CUDA_INJECTION64_PATH";
constexpr std::string_view kNvtxInjection = "NVTX_INJECTION64_PATH";
constexpr std::string_view kAgentName = "/libflatout_inject.so";

// Ours alone, and wrong when left over from an ended outer run.
bool is_left_over(std::string_view entry) {
  for (const std::string_view name :
       {"FLATOUT_RUN",          "FLATOUT_RECORDER",    "FLATOUT_RING_DIR",
        "FLATOUT_RING_IPC",     "FLATOUT_RING_BYTES",  "FLATOUT_STOP_AFTER",
        "FLATOUT_TRIAL",        "FLATOUT_TRIAL_SEED",  "FLATOUT_TRIAL_WRITES",
        "FLATOUT_TRIAL_READS",  "FLATOUT_TRIAL_RULES", "FLATOUT_TRIAL_DIVERT",
        "FLATOUT_PLAN",         "FLATOUT_KNOBS",       "FLATOUT_QUIET",
        "FLATOUT_LOADER_FILES", "FLATOUT_TRACE",       "FLATOUT_TRACK_FILES",
        "FLATOUT_TRACK_RINGS",  "FLATOUT_TRACK_IPC",   "FLATOUT_TRACK_RUN",
        "FLATOUT_CAPTURE",      "FLATOUT_OUTPUT"}) {
    if (names(entry, name)) return true;
  }
  return (names(entry, kInjection) || names(entry, kNvtxInjection)) && entry.ends_with(kAgentName);
}

// An empty PYTHONPATH means none to Python, but "site:" would add the current
// folder; so nothing is appended to an empty one. What the user wrote stays.
std::string python_path(std::string_view site, std::optional<std::string_view> old) {
  std::string_view rest = old.value_or("");
  if (rest == site) rest = {};
  if (rest.size() > site.size() && rest.starts_with(site) && rest[site.size()] == ':') {
    rest.remove_prefix(site.size() + 1);
  }
  std::string out = "PYTHONPATH=" + std::string(site);
  if (!rest.empty()) out.append(":").append(rest);
  return out;
}

bool plan_sets(const RunPlan& plan, std::string_view entry) {
  if (!plan.hooks) return false;
  for (const auto& [name, value] : plan.hooks->plan_environment) {
    if (names(entry, name)) return true;
  }
  return false;
}

void append_hooks(Environment& out, const HookPlan& hooks) {
  for (const auto& [name, value] : hooks.plan_environment) out.push_back(name + "=" + value);
  out.push_back("FLATOUT_RING_DIR=" + hooks.ring_dir.native());
  if (!hooks.ring_ipc.empty()) out.push_back("FLATOUT_RING_IPC=" + hooks.ring_ipc);
  if (hooks.ring_bytes) out.push_back("FLATOUT_RING_BYTES=" + std::to_string(*hooks.ring_bytes));
  if (hooks.stop_after) out.push_back("FLATOUT_STOP_AFTER=" + std::to_string(*hooks.stop_after));
  if (hooks.trial) out.emplace_back("FLATOUT_TRIAL=1");
  if (hooks.trial && hooks.seed_shift != 0) {
    out.push_back("FLATOUT_TRIAL_SEED=" + std::to_string(hooks.seed_shift));
  }
  if (!hooks.plan_json.empty()) out.push_back("FLATOUT_PLAN=" + hooks.plan_json);
  if (!hooks.track_files.empty()) {
    out.push_back("FLATOUT_TRACK_FILES=" + hooks.track_files.native());
  }
  if (hooks.quiet) out.emplace_back("FLATOUT_QUIET=1");
  if (!hooks.capture.empty()) out.push_back("FLATOUT_CAPTURE=" + hooks.capture);
  if (hooks.record_output) out.emplace_back("FLATOUT_OUTPUT=record");
  if (!hooks.loader_files) out.emplace_back("FLATOUT_LOADER_FILES=0");
}

}  // namespace

Environment current_environment() {
  Environment out;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    out.emplace_back(*entry);
  }
  return out;
}

std::optional<std::string_view> env_value(std::span<const std::string> env, std::string_view name) {
  for (const std::string& entry : env) {
    if (names(entry, name)) return std::string_view(entry).substr(name.size() + 1);
  }
  return std::nullopt;
}

Environment child_environment(std::span<const std::string> env, const RunPlan& plan) {
  Environment out;
  bool path_done = !plan.hooks;
  for (const std::string& entry : env) {
    if (is_left_over(entry) || plan_sets(plan, entry)) continue;
    if (!path_done && names(entry, "PYTHONPATH")) {
      out.push_back(python_path(plan.hooks->site_dir.native(), env_value(env, "PYTHONPATH")));
      path_done = true;
      continue;
    }
    out.push_back(entry);
  }
  if (!path_done) out.push_back(python_path(plan.hooks->site_dir.native(), std::nullopt));
  out.push_back("FLATOUT_RUN=" + plan.run_id);
  out.push_back("FLATOUT_RECORDER=" + std::to_string(plan.recorder.pid) + ":" +
                std::to_string(plan.recorder.start_ticks));
  if (plan.hooks) append_hooks(out, *plan.hooks);
  if (plan.hooks && plan.trace) {
    out.push_back(std::string(kInjection) + "=" + plan.trace->library.native());
    out.push_back("FLATOUT_TRACE=" + plan.trace->mode);
    // Another tool that wants the program's ranges has them.
    if (env_value(out, kNvtxInjection).value_or("").empty()) {
      std::erase_if(out, [](const std::string& entry) { return names(entry, kNvtxInjection); });
      out.push_back(std::string(kNvtxInjection) + "=" + plan.trace->library.native());
    }
  }
  return out;
}

std::optional<std::string> other_agent(std::span<const std::string> env) {
  const auto value = env_value(env, kInjection);
  if (!value || value->empty() || value->ends_with(kAgentName)) return std::nullopt;
  return std::string(*value);
}

}  // namespace flatout::launch
