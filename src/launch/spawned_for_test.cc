#include "launch/spawned_for_test.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "base/time.h"
#include "launch/plan.h"
#include "launch/start_error.h"

namespace flatout::launch {
namespace {

constexpr int kLimitMs = 20'000;

struct Pipe {
  Pipe() {
    int ends[2] = {};
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    read = base::UniqueFd(ends[0]);
    write = base::UniqueFd(ends[1]);
  }
  base::UniqueFd read, write;
};

// One byte or more; nothing at the end or after the limit.
std::string read_some(int fd, std::size_t most) {
  pollfd wait{.fd = fd, .events = POLLIN, .revents = 0};
  if (::poll(&wait, 1, kLimitMs) <= 0) {
    ADD_FAILURE() << "nothing came for " << kLimitMs << " ms";
    return {};
  }
  std::string out(most, '\0');
  const ssize_t n = ::read(fd, out.data(), most);
  out.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  return out;
}

std::string read_to_end(int fd) {
  std::string out;
  for (std::string part; !(part = read_some(fd, 65536)).empty();) out += part;
  return out;
}

std::string beside(const char* name) {
  return std::filesystem::canonical("/proc/self/exe").parent_path() / name;
}

}  // namespace

Spawned::Spawned(const std::vector<std::string>& argv, const SpawnOptions& options) {
  Pipe in;
  Pipe out;
  Pipe err;
  std::vector<std::string> env = options.env;
  for (const std::string& entry : current_environment()) env.push_back(entry);
  const std::vector<char*> args = c_strings(argv);
  const std::vector<char*> vars = c_strings(env);
  pid_ = ::fork();
  if (pid_ == 0) {
    ::setpgid(0, 0);
    ::dup2(in.read.get(), 0);
    ::dup2(out.write.get(), 1);
    ::dup2(err.write.get(), 2);
    options.before_exec();
    ::execvpe(args[0], args.data(), vars.data());
    ::_exit(99);
  }
  ::setpgid(pid_, pid_);
  in_ = std::move(in.write);
  out_ = std::move(out.read);
  err_ = std::move(err.read);
}

Spawned::~Spawned() {
  ::kill(-pid_, SIGKILL);
  if (!ended_) ::waitpid(pid_, nullptr, 0);
}

void Spawned::write(const std::string& bytes) {
  EXPECT_TRUE(base::write_all(in_.get(), bytes, "the program's stdin"));
}

std::string Spawned::read_line() {
  std::string line;
  for (;;) {
    const std::string byte = read_some(out_.get(), 1);
    if (byte.empty() || byte == "\n") return line;
    line += byte;
  }
}

void Spawned::read_until(const std::string& line) {
  for (;;) {
    const std::string got = read_line();
    if (got == line) return;
    ASSERT_FALSE(got.empty()) << "no line \"" << line << "\"";
  }
}

std::string Spawned::read_output() { return read_to_end(out_.get()); }
std::string Spawned::read_error() { return read_to_end(err_.get()); }

Exit Spawned::wait() {
  int status = 0;
  const bool ended = eventually([&] { return ::waitpid(pid_, &status, WNOHANG) == pid_; });
  EXPECT_TRUE(ended) << "it does not end";
  if (!ended) return {.code = -1};
  ended_ = true;
  dumped_core_ = WIFSIGNALED(status) && WCOREDUMP(status);
  if (WIFSIGNALED(status)) return {.code = 0, .signal = WTERMSIG(status)};
  return {.code = WEXITSTATUS(status)};
}

std::string probe() { return beside("launch_probe"); }
std::string runner() { return beside("launch_runner"); }

bool eventually(const std::function<bool()>& holds) {
  const base::TimeNs limit = base::read_clock_ns(CLOCK_MONOTONIC) + 10 * base::kSecond;
  while (!holds()) {
    if (base::read_clock_ns(CLOCK_MONOTONIC) > limit) return false;
    ::poll(nullptr, 0, 1);
  }
  return true;
}

}  // namespace flatout::launch
