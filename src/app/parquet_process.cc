#include "app/parquet_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/python_tool.h"

namespace flatout::app {

base::Result<ParquetProcess> ParquetProcess::find() {
  auto script = companion_file("neptune_parquet.py");
  if (!script) return std::unexpected(script.error());
  auto python = python_with("pyarrow", *script,
                            python_candidates([](const char* name) { return std::getenv(name); }));
  if (!python) return std::unexpected(python.error());
  return ParquetProcess(std::move(*python), std::move(*script));
}

ParquetProcess::ParquetProcess(std::string python, std::string script)
    : python_(std::move(python)), script_(std::move(script)) {}

ParquetProcess::ParquetProcess(ParquetProcess&& other) noexcept
    : python_(std::move(other.python_)),
      script_(std::move(other.script_)),
      to_(std::move(other.to_)),
      from_(std::move(other.from_)),
      pid_(std::exchange(other.pid_, 0)),
      asked_(other.asked_) {}

ParquetProcess::~ParquetProcess() { stop(); }

base::Result<void> ParquetProcess::start() {
  // A socket for its stdin, since a pipe whose reader has gone would raise SIGPIPE here.
  int in[2], out[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in) != 0) {
    return base::fail_errno(errno, "cannot make a socket");
  }
  to_ = base::UniqueFd(in[0]);
  const base::UniqueFd their_in(in[1]);
  if (::pipe2(out, O_CLOEXEC) != 0) return base::fail_errno(errno, "cannot make a pipe");
  from_ = base::UniqueFd(out[0]);
  const base::UniqueFd their_out(out[1]);
  std::string words[] = {python_, script_};
  char* argv[] = {words[0].data(), words[1].data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, their_in.get(), 0);
  posix_spawn_file_actions_adddup2(&actions, their_out.get(), 1);
  // What it has to say it says in frames.
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  const int error = ::posix_spawn(&pid_, argv[0], &actions, nullptr, argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error == 0) return {};
  pid_ = 0;
  return base::fail_errno(error, "cannot start " + python_);
}

void ParquetProcess::stop() {
  to_ = base::UniqueFd();
  from_ = base::UniqueFd();
  if (pid_ == 0) return;
  if (asked_) ::kill(pid_, SIGKILL);  // it reads only; what it was at is not wanted
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = 0;
  asked_ = false;
}

base::Result<void> ParquetProcess::ask(const std::vector<std::filesystem::path>& files) {
  if (asked_) stop();
  if (pid_ == 0) {
    if (auto started = start(); !started) return started;
  }
  using Json = nlohmann::json;
  Json paths = Json::array();
  for (const std::filesystem::path& file : files) {
    paths.push_back(std::filesystem::absolute(file).string());
  }
  const std::string line = paths.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n";
  asked_ = true;
  for (std::string_view left = line; !left.empty();) {
    const ssize_t sent = ::send(to_.get(), left.data(), left.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    // It has ended before it was asked, which whoever reads from it meets, with what it said.
    if (sent < 0 && (errno == EPIPE || errno == ECONNRESET)) return {};
    if (sent < 0) return base::fail_errno(errno, "cannot ask " + python_);
    left.remove_prefix(static_cast<std::size_t>(sent));
  }
  return {};
}

base::Result<std::size_t> ParquetProcess::read(std::span<char> into) {
  for (;;) {
    const ssize_t got = ::read(from_.get(), into.data(), into.size());
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno == ECONNRESET) return 0;  // it ended with the question unread
    if (errno != EINTR) return base::fail_errno(errno, "cannot read from " + python_);
  }
}

}  // namespace flatout::app
