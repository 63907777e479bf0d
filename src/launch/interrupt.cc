#include "launch/interrupt.h"

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/file.h"

namespace flatout::launch {
namespace {

constexpr std::size_t kMostStatus = 64 * 1024;

// The line "SigIgn:\t0000000000001006" of proc(5)'s status, a bit a signal from 1 on.
std::uint64_t ignored(std::string_view status) {
  constexpr std::string_view kLine = "\nSigIgn:";
  const auto at = status.find(kLine);
  if (at == std::string_view::npos) return 0;
  status.remove_prefix(at + kLine.size());
  status.remove_prefix(std::min(status.find_first_not_of(" \t"), status.size()));
  std::uint64_t mask = 0;
  std::from_chars(status.data(), status.data() + status.size(), mask, 16);
  return mask;
}

bool inherited() {
  struct sigaction now{};
  return ::sigaction(SIGINT, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

}  // namespace

int interrupt_signal(pid_t pid, const std::filesystem::path& proc) {
  if (!inherited()) return SIGINT;
  const auto status = base::read_file(proc / std::to_string(pid) / "status", kMostStatus);
  constexpr std::uint64_t kInterrupt = std::uint64_t{1} << (SIGINT - 1);
  return status && (ignored(*status) & kInterrupt) != 0 ? SIGTERM : SIGINT;
}

bool ended_by_interrupt(const Exit& exit) {
  constexpr int kBySignal = 128;  // + its number
  const int signal = exit.signal != 0 ? exit.signal : exit.code - kBySignal;
  return signal == SIGINT || signal == SIGTERM;
}

}  // namespace flatout::launch
