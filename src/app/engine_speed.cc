#include "app/engine_speed.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "analyse/engine_facts.h"
#include "app/engine_bench.h"
#include "base/file.h"
#include "base/time.h"
#include "run/facts.h"

namespace flatout::app {
namespace {

using nlohmann::json;

constexpr std::size_t kMostAnswerBytes = 64U << 10;

run::EngineMeasurement skipped(std::string why) {
  return {.speed = std::nullopt, .skipped = std::move(why)};
}

std::optional<analyse::LoaderFiles> files_of(const run::Timeline& timeline,
                                             const analyse::Analysis& analysis) {
  if (!analysis.loader) return std::nullopt;
  return analyse::loader_files(timeline, analysis.pid, analysis.loader->loader);
}

// A file in memory that holds `text`, at its begin.
base::UniqueFd holding(const std::string& text) {
  base::UniqueFd fd(::memfd_create("flatout-engine-job", MFD_CLOEXEC));
  if (!fd || !base::write_all(fd.get(), text, "the job") || ::lseek(fd.get(), 0, SEEK_SET) != 0) {
    return {};
  }
  return fd;
}

// Ctrl-C ends the measuring, and not the report after it.
class IgnoreInterrupt {
 public:
  IgnoreInterrupt() {
    struct sigaction ignore{};
    ignore.sa_handler = SIG_IGN;
    (void)::sigaction(SIGINT, &ignore, &before_);
  }
  ~IgnoreInterrupt() { (void)::sigaction(SIGINT, &before_, nullptr); }
  IgnoreInterrupt(const IgnoreInterrupt&) = delete;
  IgnoreInterrupt& operator=(const IgnoreInterrupt&) = delete;

 private:
  struct sigaction before_{};
};

class Process {
 public:
  // errno where it could not be started.
  int start(int in, int out);
  // What it says until it ends or `deadline`, by which it is killed.
  std::string answer(int from, base::TimeNs deadline);
  int status() const { return status_; }
  bool late() const { return late_; }

 private:
  pid_t pid_ = -1;
  int status_ = 0;
  bool late_ = false;
};

int Process::start(int in, int out) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t how;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawnattr_init(&how);
  ::posix_spawn_file_actions_adddup2(&files, in, 0);
  ::posix_spawn_file_actions_adddup2(&files, out, 1);
  ::posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
  sigset_t all;
  sigset_t none;
  ::sigfillset(&all);
  ::sigemptyset(&none);
  ::posix_spawnattr_setsigdefault(&how, &all);
  ::posix_spawnattr_setsigmask(&how, &none);
  ::posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  char name[] = "flatout";
  char verb[] = "bench-engine";
  char* const argv[] = {name, verb, nullptr};
  const int failed = ::posix_spawn(&pid_, "/proc/self/exe", &files, &how, argv, environ);
  ::posix_spawn_file_actions_destroy(&files);
  ::posix_spawnattr_destroy(&how);
  return failed;
}

std::string Process::answer(int from, base::TimeNs deadline) {
  const base::SystemClock clock;
  std::string said;
  for (;;) {
    const auto left = deadline - clock.monotonic();
    if (left <= 0) {
      late_ = true;
      ::kill(pid_, SIGKILL);
      break;
    }
    pollfd fd{.fd = from, .events = POLLIN, .revents = 0};
    if (::poll(&fd, 1, static_cast<int>(left / base::kMillisecond) + 1) <= 0) continue;
    char buffer[4096];
    const ssize_t n = ::read(from, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0 || said.size() > kMostAnswerBytes) break;
    said.append(buffer, static_cast<std::size_t>(n));
  }
  while (::waitpid(pid_, &status_, 0) < 0 && errno == EINTR) {
  }
  return said;
}

run::EngineMeasurement bench_in_a_process(const std::string& job) {
  const IgnoreInterrupt until_it_ends;
  const base::UniqueFd in = holding(job);
  int ends[2];
  if (!in || ::pipe2(ends, O_CLOEXEC) != 0) {
    return skipped(std::string("no process for it: ") + std::strerror(errno));
  }
  const base::UniqueFd from(ends[0]);
  base::UniqueFd to(ends[1]);
  Process process;
  if (const int failed = process.start(in.get(), to.get()); failed != 0) {
    return skipped(std::string("no process for it: ") + std::strerror(failed));
  }
  to = base::UniqueFd();
  const base::SystemClock clock;
  const auto deadline = clock.monotonic() + kEngineBench + kEnginePatience;
  const std::string said = process.answer(from.get(), deadline);
  if (process.late()) return skipped("no batch was made in 4 s: its files are slow to read");
  if (WIFSIGNALED(process.status())) {
    return WTERMSIG(process.status()) == SIGINT ? skipped("interrupted")
                                                : skipped("the process that measures broke");
  }
  return analyse::engine_measurement_of(said).value_or(skipped("the process that measures broke"));
}

}  // namespace

bool engine_speed_matters(const run::Timeline& timeline, const analyse::Analysis& analysis,
                          const run::Report& report) {
  if (!report.loader || report.failure) return false;
  const run::LoaderReport& loader = *report.loader;
  if (!loader.engine.empty() || loader.engine_measured) return false;
  if (loader.native_refusal && !loader.native_refusal->empty()) return false;
  const auto finding = std::ranges::find(report.findings, "input_bound", &run::Finding::id);
  if (finding == report.findings.end() || finding->severity == run::Severity::kInfo) return false;
  // Of a dataset of the program, files alone are not enough: how large its pictures become.
  const auto files = files_of(timeline, analysis);
  if (!files) return loader.native_refusal.has_value();
  return !files->spec.empty() || !files->why_not.empty() ||
         analyse::picture_size(timeline, analysis.pid).has_value();
}

run::EngineMeasurement measure_engine(const run::Timeline& timeline,
                                      const analyse::Analysis& analysis) {
  const auto files = files_of(timeline, analysis);
  if (!files) return skipped("the run does not say which files its samples are read from");
  if (!files->why_not.empty()) return skipped(files->why_not);
  if (analysis.ranks.size() > 1) return skipped("several ranks share the CPUs");
  json job = {{"files", files->files}};
  if (!files->places.empty()) job["places"] = files->places;
  if (!files->spec.empty()) {
    job["spec"] = json::parse(files->spec, nullptr, /*allow_exceptions=*/false);
  } else if (const auto size = analyse::picture_size(timeline, analysis.pid)) {
    job["size"] = *size;
  }
  return bench_in_a_process(job.dump(-1, ' ', false, json::error_handler_t::replace));
}

void keep_engine_speed(const run::EngineMeasurement& measured, analyse::Analysis& analysis,
                       RunSession& session) {
  const std::uint32_t loader = analysis.loader->loader;
  session.note_found(analysis.pid, run::facts::kEngineSpeed,
                     analyse::engine_measurement_json(analysis.pid, loader, measured));
  analysis.loader->engine_measured = measured;
}

}  // namespace flatout::app
