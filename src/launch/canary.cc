#include "launch/canary.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <string_view>
#include <utility>

namespace flatout::launch {
namespace {

struct Area {
  char* begin = nullptr;
  std::size_t size = 0;
};

// Where the kernel reads our command line from: fields 48 and 49 of
// /proc/self/stat (proc(5)). Empty when it cannot be known.
Area argument_area() {
  const auto stat = base::read_file("/proc/self/stat", 4096);
  if (!stat) return {};
  std::string_view rest = *stat;
  rest.remove_prefix(std::min(rest.rfind(')') + 1, rest.size()));  // then " S ppid ..."
  std::uintptr_t bounds[2] = {};
  for (int field = 3; field <= 49; ++field) {
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    const auto word = rest.substr(0, rest.find(' '));
    if (field >= 48) std::from_chars(word.data(), word.data() + word.size(), bounds[field - 48]);
    rest.remove_prefix(word.size());
  }
  if (bounds[0] == 0 || bounds[1] <= bounds[0]) return {};
  // The kernel names the area by its address.  NOLINTNEXTLINE(performance-no-int-to-ptr)
  return {reinterpret_cast<char*>(bounds[0]), bounds[1] - bounds[0]};
}

std::string title(std::span<const std::string> command) {
  std::string out = "signal-canary:";
  for (const std::string& word : command) out.append(" ").append(word);
  return out;
}

// The last byte stays 0: otherwise the kernel reads on into the environment.
void set_title(Area area, const std::string& text) {
  if (area.size == 0) return;
  std::memset(area.begin, 0, area.size);
  std::memcpy(area.begin, text.data(), std::min(text.size(), area.size - 1));
}

void close_from(int first) {
  if (::close_range(static_cast<unsigned>(first), ~0U, 0) == 0) return;
  for (int fd = first; fd < 65536; ++fd) ::close(fd);  // Linux before 5.9
}

[[noreturn]] void report_signals(int pipe) {
  sigset_t all;
  sigfillset(&all);
  for (;;) {
    siginfo_t info{};
    const int signo = sigwaitinfo(&all, &info);
    if (signo < 0) continue;
    const SignalReport report{.value = reinterpret_cast<std::intptr_t>(info.si_value.sival_ptr),
                              .signo = signo,
                              .code = info.si_code,
                              .sender = info.si_pid};
    if (::write(pipe, &report, sizeof report) < 0 && errno == EPIPE) ::_exit(0);
  }
}

[[noreturn]] void live(int pipe, pid_t parent, Area area, const std::string& text) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(0);  // it died before the line above
  ::prctl(PR_SET_NAME, "signal-canary");
  set_title(area, text);
  ::dup2(pipe, 0);
  close_from(1);
  if (::chdir("/") != 0) ::_exit(0);  // not to keep a file system busy
  report_signals(0);
}

}  // namespace

base::Result<Canary> Canary::start(std::span<const std::string> command) {
  int ends[2] = {};
  if (::pipe2(ends, O_CLOEXEC) != 0) return base::fail_errno(errno, "cannot make a pipe");
  base::UniqueFd read_end(ends[0]);
  const base::UniqueFd write_end(ends[1]);
  ::fcntl(read_end.get(), F_SETFL, O_NONBLOCK);
  const Area area = argument_area();
  const std::string text = title(command);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) return base::fail_errno(errno, "cannot fork the signal canary");
  if (pid == 0) live(write_end.get(), parent, area, text);
  return Canary(pid, std::move(read_end));
}

Canary::Canary(Canary&& other) noexcept
    : pipe_(std::move(other.pipe_)), pid_(std::exchange(other.pid_, 0)), lost_(other.lost_) {}

Canary::~Canary() { stop(); }

void Canary::ping(std::int32_t number) {
  if (lost_) return;
  sigval value{};
  value.sival_int = number;
  ::sigqueue(pid_, SIGRTMAX, value);
}

bool Canary::is_answer(const SignalReport& report) const {
  return report.signo == SIGRTMAX && report.code == SI_QUEUE && report.sender == ::getpid();
}

std::optional<SignalReport> Canary::read() {
  SignalReport report;
  while (!lost_) {
    const ssize_t n = ::read(pipe_.get(), &report, sizeof report);
    if (n == static_cast<ssize_t>(sizeof report)) return report;
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return std::nullopt;
    lost_ = true;
    pipe_ = base::UniqueFd();
  }
  return std::nullopt;
}

void Canary::stop() {
  if (pid_ == 0) return;
  // One that was killed may have been reaped by Child::poll_exit, and its number
  // may be somebody else's by now. Its pipe tells.
  while (read()) {
  }
  if (!lost_) ::kill(pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, lost_ ? WNOHANG : 0) < 0 && errno == EINTR) {
  }
  pid_ = 0;
  lost_ = true;
  pipe_ = base::UniqueFd();
}

}  // namespace flatout::launch
