#include "launch/nested.h"

#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <vector>

#include "base/process.h"
#include "launch/plan.h"
#include "launch/start_error.h"

namespace flatout::launch {
namespace {

// "pid:start_ticks", nothing else.
std::optional<base::ProcessId> parse_recorder(std::string_view text) {
  base::ProcessId id;
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const auto pid = std::from_chars(begin, end, id.pid);
  if (pid.ec != std::errc{} || pid.ptr == end || *pid.ptr != ':' || id.pid <= 0) return {};
  const auto ticks = std::from_chars(pid.ptr + 1, end, id.start_ticks);
  if (ticks.ec != std::errc{} || ticks.ptr != end) return {};
  return id;
}

}  // namespace

std::optional<std::string> nested_in(std::span<const std::string> env,
                                     const std::filesystem::path& proc) {
  const auto run = env_value(env, "FLATOUT_RUN");
  const auto recorder = parse_recorder(env_value(env, "FLATOUT_RECORDER").value_or(""));
  if (!run || run->empty() || !recorder) return std::nullopt;
  // A process that became flatout by exec after its environment was read is
  // its own recorder's child at most, never the recorder itself.
  if (recorder->pid == ::getpid()) return std::nullopt;
  if (!base::process_alive(*recorder, proc)) return std::nullopt;
  return std::string(*run);
}

base::Error exec_through(std::span<const std::string> argv) {
  std::vector<char*> args = c_strings(argv);
  ::execvp(args[0], args.data());
  return start_error(argv[0], errno);
}

int start_failure_code(const base::Error& error) {
  if (error.code == base::ErrorCode::kNotFound) return 127;
  return error.code == base::ErrorCode::kInvalid ? 126 : 125;
}

}  // namespace flatout::launch
