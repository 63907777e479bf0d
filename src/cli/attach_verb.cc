// flatout attach PID: the recorder of a program that flatout did not start, which asked for it
// (flatout.track's init). Not for people. It says in one line of JSON on stdout where to write, or
// why not, lets go of whoever started it, and records until the program has finished or ended.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/explain.h"
#include "app/run_session.h"
#include "app/voice.h"
#include "base/file.h"
#include "base/recording_clock.h"
#include "base/time.h"
#include "cli/exit_status.h"
#include "cli/verbs.h"
#include "launch/detach.h"
#include "launch/foreign_process.h"
#include "launch/loop.h"
#include "launch/plan.h"
#include "launch/signals.h"

namespace flatout::cli {
namespace {

constexpr base::DurationNs kLook = 10 * base::kMillisecond;
// For the kernel to know how it ended: until then its parent has not waited for it.
constexpr base::DurationNs kExitPatience = 300 * base::kMillisecond;
// For room on a disk that was full to the end: nobody waits for this process.
constexpr base::DurationNs kDiskPatience = 3 * base::kSecond;

void say(const nlohmann::json& answer) {
  const std::string line =
      answer.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  (void)base::write_all(STDOUT_FILENO, line, "stdout");
}

int refuse(const std::string& why) {
  say({{"error", why}});
  return 1;
}

std::string first_line(int fd) {
  char text[4096];
  const ssize_t bytes = ::pread(fd, text, sizeof text, 0);
  if (bytes <= 0) return "";
  std::string_view line(text, static_cast<std::size_t>(bytes));
  line = line.substr(0, line.find('\n'));
  constexpr std::string_view kOurs = "flatout: ";
  if (line.starts_with(kOurs)) line.remove_prefix(kOurs.size());
  return std::string(line);
}

std::vector<std::string> command_of(pid_t pid) {
  constexpr std::size_t kMostBytes = 1U << 20;
  const auto text = base::read_file("/proc/" + std::to_string(pid) + "/cmdline", kMostBytes);
  std::vector<std::string> argv;
  std::string_view rest = text ? std::string_view(*text) : std::string_view();
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\0'), rest.size());
    argv.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (argv.empty()) argv.emplace_back("process " + std::to_string(pid));
  return argv;
}

// A terminal, a shell's job and a pipe that somebody reads to its end are not to wait for us.
void let_go() {
  const base::UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (null) (void)::dup2(null.get(), fd);
  }
  if (::chdir("/") != 0) return;  // it holds a mount then, which is all
}

base::UniqueFd take_signals() {
  sigset_t ends;
  ::sigemptyset(&ends);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGQUIT}) ::sigaddset(&ends, signal);
  (void)::sigprocmask(SIG_BLOCK, &ends, nullptr);
  return base::UniqueFd(::signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK));
}

// What the recorder has to say once nobody reads its answer any more, such as that the disk is
// full: a file beside the rings, at which the program looks whenever it writes a fact.
class Notes {
 public:
  // `said` holds what was said so far, which the answer has told.
  Notes(int said, const std::filesystem::path& rings)
      : said_(said), place_(rings / "notes"), passed_(size()) {}

  void pass_on() {
    const off_t now = size();
    if (now <= passed_) return;
    std::string text(static_cast<std::size_t>(now - passed_), '\0');
    const ssize_t bytes = ::pread(said_, text.data(), text.size(), passed_);
    if (bytes <= 0) return;
    passed_ += bytes;
    const base::UniqueFd out(::open(
        place_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR));
    if (out) {
      (void)base::write_all(out.get(), text.substr(0, static_cast<std::size_t>(bytes)), "notes");
    }
  }

 private:
  off_t size() const {
    struct stat about{};
    return ::fstat(said_, &about) == 0 ? about.st_size : 0;
  }

  int said_;
  std::filesystem::path place_;
  off_t passed_;
};

// Until the program said that it is done, has ended, or we are to end.
void record(app::RunSession& session, const launch::ForeignProcess& program, int signals,
            const base::Clock& clock, double rate_hz, Notes& notes) {
  launch::Ticker ticker(clock.monotonic(), static_cast<base::DurationNs>(
                                               static_cast<double>(base::kSecond) / rate_hz));
  for (;;) {
    pollfd fds[] = {{.fd = program.fd(), .events = POLLIN, .revents = 0},
                    {.fd = signals, .events = POLLIN, .revents = 0}};
    constexpr int kMilliseconds = static_cast<int>(kLook / base::kMillisecond);
    (void)::poll(fds, 2, kMilliseconds);
    const bool last = program.ended() || (fds[1].revents & POLLIN) != 0;
    const base::TimeNs now = clock.monotonic();
    if (ticker.due(now) || last) {
      session.tick(now);
      notes.pass_on();
    } else {
      session.drain();
    }
    if (last || session.closed()) return;
  }
}

// Absent while it runs, and where nothing says it.
std::optional<launch::Exit> seen_exit(const launch::ForeignProcess& program,
                                      const base::Clock& clock) {
  const base::TimeNs begin = clock.monotonic();
  do {
    if (program.ended()) {
      if (const auto exit = program.exit()) return exit;
    }
    (void)::poll(nullptr, 0, 5);
  } while (clock.monotonic() - begin < kExitPatience);
  return std::nullopt;
}

// A program whose last act is finish() does not know its exit status yet: where it ends right after
// it, and badly, that counts.
std::optional<launch::Exit> ending_of(const app::RunSession& session,
                                      const launch::ForeignProcess& program,
                                      const base::Clock& clock) {
  if (!session.closed()) return seen_exit(program, clock);
  const launch::Exit said{.code = *session.closed(), .signal = 0};
  return said.code != 0 ? said : seen_exit(program, clock).value_or(said);
}

void write_rest(app::RunSession& session, const base::Clock& clock) {
  const base::TimeNs until = clock.monotonic() + kDiskPatience;
  while (!session.write_rest() && clock.monotonic() < until) (void)::poll(nullptr, 0, 500);
}

void finish(app::RunSession& session, const launch::ForeignProcess& program,
            const base::Clock& clock) {
  if (const auto exit = ending_of(session, program, clock)) {
    session.finish(*exit, {});
  } else {
    session.finish_unseen({});
  }
  if (!session.stored()) write_rest(session, clock);
  try {
    const run::Timeline timeline = session.timeline();
    session.keep_tracked(timeline);
    session.keep_outcome(app::explain(timeline, {}));
  } catch (const std::exception&) {  // the recording itself is whole
  }
  session.seal();
}

}  // namespace

int attach_verb(const AttachOptions& given) {
  if (!launch::detach()) return refuse("no process could be started to record it");
  const auto program = launch::ForeignProcess::open(given.pid);
  if (!program) return refuse(program.error().message);
  app::SessionOptions options;
  options.name = given.name;
  options.home = given.home;
  options.quiet = true;
  options.bench = false;
  options.command = command_of(given.pid);
  const base::UniqueFd signals = take_signals();
  const base::RecordingClock clock;
  // Not the program's stderr: whoever reads it to its end would wait for us. What is said before
  // the answer goes with it, and later notes are facts.
  const base::UniqueFd said(::memfd_create("flatout-notes", MFD_CLOEXEC));
  app::Voice voice(/*quiet=*/true, said.get());
  std::optional<Notes> notes;
  app::RunUnder under{.attached = true};
  under.before_rings_go = [&notes] {
    if (notes) notes->pass_on();
  };
  app::RunSession session(options, launch::current_environment(), clock, voice, std::move(under));
  const app::TrackPlaces places = session.track_places();
  const std::string note = first_line(said.get());
  if (places.rings.empty() || places.files.empty()) {
    const std::string why = places.rings.empty() ? session.hooks_off() : note;
    session.discard();
    return refuse(why);
  }
  nlohmann::json answer = {
      {"run", session.id()}, {"rings", places.rings.string()}, {"ipc", places.ipc}};
  answer["files"] = places.files.string();
  if (!note.empty()) answer["note"] = note;
  say(answer);
  let_go();
  notes.emplace(said.get(), places.rings);
  session.begin(given.pid, 0);
  record(session, *program, signals.get(), clock, options.rate_hz, *notes);
  finish(session, *program, clock);
  return 0;
}

}  // namespace flatout::cli
