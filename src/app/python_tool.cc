#include "app/python_tool.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <sstream>

#include "launch/installation.h"

namespace flatout::app {
namespace {

namespace fs = std::filesystem;

bool is_program(const fs::path& path) {
  std::error_code unknown;
  return fs::is_regular_file(path, unknown) && ::access(path.c_str(), X_OK) == 0;
}

std::string on_path(const std::string& name, const char* path) {
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path program = fs::path(folder.empty() ? "." : folder) / name;
    if (is_program(program)) return program.string();
  }
  return {};
}

std::string text_of(const char* value) { return value == nullptr ? "" : value; }

}  // namespace

std::vector<std::string> python_candidates(const Variables& variables) {
  std::vector<std::string> found;
  const auto add = [&found](const std::string& program) {
    if (!program.empty() && is_program(program) &&
        std::ranges::find(found, program) == found.end()) {
      found.push_back(program);
    }
  };
  if (const std::string chosen = text_of(variables("FLATOUT_PYTHON")); !chosen.empty()) {
    add(chosen.find('/') == std::string::npos ? on_path(chosen, variables("PATH")) : chosen);
    return found;
  }
  for (const char* prefix : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const std::string root = text_of(variables(prefix));
    if (!root.empty()) add((fs::path(root) / "bin/python3").string());
  }
  add(on_path("python3", variables("PATH")));
  return found;
}

base::Result<int> run_to_end(const std::vector<std::string>& command, bool silent) {
  std::vector<std::string> words = command;
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  for (const int fd : {1, 2}) {
    if (silent) posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_WRONLY, 0);
  }
  pid_t child = 0;
  const int error = ::posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return base::fail_errno(error, "cannot start " + command.front());
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return base::fail_errno(errno, "cannot wait for " + command.front());
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

base::Result<std::string> python_with(const std::string& package, const std::string& script,
                                      const std::vector<std::string>& candidates) {
  if (candidates.empty()) {
    return base::fail(base::ErrorCode::kNotFound,
                      "no python3 was found, which " + package +
                          " needs: put one on the PATH, or name it in FLATOUT_PYTHON");
  }
  for (const std::string& python : candidates) {
    const auto status = run_to_end({python, script, "--check"}, /*silent=*/true);
    if (status && *status == 0) return python;
  }
  const std::string& first = candidates.front();
  return base::fail(base::ErrorCode::kNotFound,
                    first + " has no " + package + ": " + first + " -m pip install " + package +
                        ", or name a python that has it in FLATOUT_PYTHON");
}

base::Result<std::string> companion_file(const std::string& name) {
  const auto file = launch::find_companion(name);
  if (!file) return base::fail(base::ErrorCode::kUnavailable, file.error().message);
  return file->string();
}

}  // namespace flatout::app
