#include "trial/launchers.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include "base/file.h"
#include "collect/devices.h"
#include "launch/plan.h"
#include "trial/local_launcher.h"
#include "trial/process_launcher.h"
#include "trial/run_job.h"
#include "trial/slurm_launcher.h"
#include "workspace/workspace.h"

namespace flatout::trial {
namespace {

namespace fs = std::filesystem;
using base::ErrorCode;
using base::Result;

constexpr base::DurationNs kDriverPatience = 30 * base::kSecond;

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> out;
  for (std::string word; stream >> word;) out.push_back(word);
  return out;
}

Result<fs::path> own_binary() {
  std::error_code error;
  auto path = fs::read_symlink("/proc/self/exe", error);
  if (error) return base::fail(ErrorCode::kIo, "/proc/self/exe: " + error.message());
  return path;
}

// UUIDs of the GPUs that a program started from here sees: a number would mean another
// device in CUDA's order than in the driver's.
std::vector<std::string> visible_gpus() {
  const auto options = collect::device_options([](const char* name) { return std::getenv(name); });
  std::vector<std::string> out;
  for (const auto& device : collect::look_at_nvidia(options, kDriverPatience).devices) {
    if (device.visible_index && !device.uuid.empty()) out.push_back(device.uuid);
  }
  return out;
}

Result<LocalSlots> local_slots(std::optional<int> wanted) {
  std::vector<std::string> gpus = visible_gpus();
  const int there = static_cast<int>(gpus.size());
  if (there == 0) return LocalSlots{.count = wanted.value_or(1), .devices = {}};
  const int count = wanted.value_or(there);
  if (count > there) {
    return base::fail(ErrorCode::kInvalid,
                      "--slots " + std::to_string(count) + ": there " +
                          (there == 1 ? "is 1 GPU" : "are " + std::to_string(there) + " GPUs") +
                          ", and each trial gets its own");
  }
  if (there == 1) gpus.clear();  // what the program sees already
  gpus.resize(std::min(gpus.size(), static_cast<std::size_t>(count)));
  return LocalSlots{.count = count, .devices = std::move(gpus)};
}

Result<std::unique_ptr<Launcher>> local(const LauncherOptions& options, const fs::path& binary) {
  if (!options.slurm.empty()) {
    return base::fail(ErrorCode::kInvalid, "--slurm goes with --launcher slurm only");
  }
  const auto slots = local_slots(options.slots);
  if (!slots) return std::unexpected(slots.error());
  return make_local_launcher(binary, *slots, cores_here());
}

}  // namespace

Result<PlacedHere> make_launcher(const LauncherOptions& options, const store::Home& home) {
  const auto binary = own_binary();
  if (!binary) return std::unexpected(binary.error());
  const launch::Environment env = launch::current_environment();
  const bool slurm = options.kind == "slurm";
  auto launcher =
      slurm ? make_slurm_launcher(
                  *binary,
                  {.arguments = words_of(options.slurm), .slots = options.slots.value_or(1)}, env)
            : local(options, *binary);
  if (!launcher) return std::unexpected(launcher.error());
  fs::path root = home.root();  // which the nodes share
  if (slurm) {
    if (auto made = base::make_private_dirs(root); !made) return std::unexpected(made.error());
  } else {
    std::error_code error;
    const auto found = workspace::find_scratch_root(env, fs::canonical(".", error));
    if (!found) return std::unexpected(found.error());
    root = *found;
  }
  auto folder = TrialFolder::make(root);
  if (!folder) return std::unexpected(folder.error());
  return PlacedHere{.launcher = std::move(*launcher), .folder = std::move(*folder)};
}

std::unique_ptr<Launcher> make_forked_launcher(TrialSite& site, const StopSignals& signals) {
  const auto body = [&site, &signals](const fs::path& file) {
    signals.hand_back();
    if (signals.asked()) return 1;  // it came to this process between fork and here
    const auto job = read_job(file);
    return job && run_job(*job, file, &site) ? 0 : 1;
  };
  const auto clean = [&site]() -> Result<void> {
    return site.workspace() == nullptr ? Result<void>() : site.workspace()->reset();
  };
  return std::make_unique<ProcessLauncher>(body, clean);
}

Result<TrialJob> common_job(const store::Home& home, std::vector<std::string> command,
                            bool in_place) {
  std::error_code error;
  TrialJob job;
  job.home = home.root().string();
  job.directory = fs::canonical(".", error);
  if (error) return base::fail(ErrorCode::kIo, "the working directory: " + error.message());
  job.command = std::move(command);
  job.in_place = in_place;
  job.steps = 1;
  job.timeout_ns = base::kSecond;
  return job;
}

}  // namespace flatout::trial
