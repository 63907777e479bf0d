#include "trial/slurm_launcher.h"

#include <unistd.h>

#include <sstream>

#include "launch/plan.h"
#include "trial/process_launcher.h"

namespace flatout::trial {
namespace {

bool in_path(const std::string& program, std::span<const std::string> env) {
  std::istringstream folders(std::string(launch::env_value(env, "PATH").value_or("/usr/bin:/bin")));
  for (std::string folder; std::getline(folders, folder, ':');) {
    const auto file = std::filesystem::path(folder.empty() ? "." : folder) / program;
    if (::access(file.c_str(), X_OK) == 0) return true;
  }
  return false;
}

}  // namespace

std::vector<std::string> srun_words(const std::filesystem::path& flatout,
                                    const SlurmOptions& options) {
  // What the user gives counts: of an option given twice, srun takes the last.
  std::vector<std::string> words = {"srun", "--ntasks=1", "--input=none", "--job-name=flatout"};
  words.insert(words.end(), options.arguments.begin(), options.arguments.end());
  words.push_back(flatout.string());
  words.emplace_back("trial");
  return words;
}

base::Result<std::unique_ptr<Launcher>> make_slurm_launcher(const std::filesystem::path& flatout,
                                                            const SlurmOptions& options,
                                                            std::span<const std::string> env) {
  if (!in_path("srun", env)) {
    return base::fail(base::ErrorCode::kUnavailable,
                      "--launcher slurm: there is no srun in PATH; is this a node of a Slurm "
                      "cluster, and does it need 'module load slurm'?");
  }
  return std::make_unique<ProcessLauncher>(
      srun_words(flatout, options),
      std::vector<ProcessSlot>(static_cast<std::size_t>(options.slots)));
}

}  // namespace flatout::trial
