#include "cli/top_terminal.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

#include "base/file.h"

namespace flatout::cli {
namespace {

using report::Grid;
using report::TopInk;

constexpr std::string_view kEnter = "\x1b[?1049h\x1b[?25l\x1b[?1000h\x1b[?1006h\x1b[2J";
constexpr std::string_view kLeave = "\x1b[?1006l\x1b[?1000l\x1b[0m\x1b[?25h\x1b[?1049l";

constexpr std::array<int, 5> kSignals = {SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGTSTP};
volatile std::sig_atomic_t ended = 0;
volatile std::sig_atomic_t resized = 0;
volatile std::sig_atomic_t stopped = 0;

void note_signal(int number) {
  if (number == SIGWINCH) {
    resized = 1;
  } else if (number == SIGTSTP) {
    stopped = 1;
  } else {
    ended = 1;
  }
}

sigset_t blocked_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : kSignals) sigaddset(&set, number);
  return set;
}

// Phases by run::Phase: other, data_wait, h2d, forward, backward, optimizer, comm, sync,
// checkpoint.
constexpr std::array<std::string_view, 9> kPhaseColours = {"90", "31", "33", "34", "36",
                                                           "32", "35", "91", "95"};

std::string sequence_of(TopInk ink, bool colour) {
  const auto number = static_cast<std::size_t>(ink);
  const auto first_phase = static_cast<std::size_t>(TopInk::kPhase0);
  const auto sgr = [](std::string_view code) { return "\x1b[0;" + std::string(code) + "m"; };
  if (number >= first_phase) {
    return colour ? sgr(kPhaseColours[std::min(number - first_phase, kPhaseColours.size() - 1)])
                  : "\x1b[0m";
  }
  switch (ink) {
    case TopInk::kHeading:
      return sgr("1");
    case TopInk::kChosen:
      return sgr("7");
    case TopInk::kQuiet:
      return colour ? sgr("90") : "\x1b[0m";
    case TopInk::kGood:
      return colour ? sgr("32") : "\x1b[0m";
    case TopInk::kCaution:
      return colour ? sgr("33") : sgr("1");
    case TopInk::kLoss:
      return sgr(colour ? "1;31" : "1");
    case TopInk::kAccent:
      return colour ? sgr("36") : "\x1b[0m";
    default:
      return "\x1b[0m";
  }
}

}  // namespace

std::string screen_update(const Grid* before, const Grid& now, bool colour) {
  const bool anew =
      before == nullptr || before->columns() != now.columns() || before->rows() != now.rows();
  std::string out;
  std::optional<TopInk> ink;
  for (std::size_t y = 0; y < now.rows(); ++y) {
    bool placed = false;
    for (std::size_t x = 0; x < now.columns(); ++x) {
      const report::TopCell& cell = now.at(x, y);
      const bool same = !anew && before->at(x, y) == cell;
      // The second half of a wide character is drawn with the first.
      if (same || cell.text.empty()) {
        placed = placed && cell.text.empty();
        continue;
      }
      if (!placed) out += "\x1b[" + std::to_string(y + 1) + ";" + std::to_string(x + 1) + "H";
      placed = true;
      if (ink != cell.ink) out += sequence_of(cell.ink, colour);
      ink = cell.ink;
      out += cell.text;
    }
  }
  if (out.empty()) return out;
  return (anew ? "\x1b[0m\x1b[2J" : "") + out + "\x1b[0m";
}

bool TopTerminal::enter() {
  if (entered_) return true;
  if (::isatty(0) != 1 || ::isatty(1) != 1 || ::tcgetattr(0, &before_) != 0) return false;
  const sigset_t blocked = blocked_signals();
  ::sigprocmask(SIG_BLOCK, &blocked, nullptr);
  struct sigaction action{};
  action.sa_handler = note_signal;
  for (const int number : kSignals) ::sigaction(number, &action, nullptr);
  termios raw = before_;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  raw.c_cc[VMIN] = 0;
  raw.c_cc[VTIME] = 0;
  if (::tcsetattr(0, TCSAFLUSH, &raw) != 0) return false;
  entered_ = true;
  shown_.reset();
  return base::write_all(1, kEnter, "the terminal").has_value();
}

void TopTerminal::leave() {
  if (!entered_) return;
  entered_ = false;
  (void)base::write_all(1, kLeave, "the terminal");
  (void)::tcsetattr(0, TCSAFLUSH, &before_);
}

TopTerminal::Size TopTerminal::size() const {
  constexpr std::size_t kMost = 1000;  // whatever a terminal says of itself
  winsize window{};
  if (::ioctl(1, TIOCGWINSZ, &window) != 0 || window.ws_col == 0 || window.ws_row == 0) return {};
  return {std::min<std::size_t>(window.ws_col, kMost), std::min<std::size_t>(window.ws_row, kMost)};
}

bool TopTerminal::show(const Grid& grid) {
  const std::string update = screen_update(shown_ ? &*shown_ : nullptr, grid, colour_);
  shown_ = grid;
  return update.empty() || base::write_all(1, update, "the terminal").has_value();
}

TopTerminal::Woken TopTerminal::wait(base::DurationNs patience, std::string& input) {
  timespec time{.tv_sec = patience / base::kSecond, .tv_nsec = patience % base::kSecond};
  pollfd look{.fd = 0, .events = POLLIN, .revents = 0};
  sigset_t mask;
  ::sigprocmask(SIG_BLOCK, nullptr, &mask);
  for (const int number : kSignals) sigdelset(&mask, number);
  const int came = ::ppoll(&look, 1, &time, &mask);
  if (ended != 0) return Woken::kEnd;
  if (stopped != 0) {
    stopped = 0;
    leave();
    ::raise(SIGSTOP);
    return enter() ? Woken::kStopped : Woken::kEnd;
  }
  if (resized != 0) {
    resized = 0;
    return Woken::kResized;
  }
  if (came <= 0) return Woken::kTime;
  std::array<char, 512> bytes{};
  const ssize_t got = ::read(0, bytes.data(), bytes.size());
  if (got <= 0) return got < 0 && errno == EINTR ? Woken::kTime : Woken::kEnd;
  input.assign(bytes.data(), static_cast<std::size_t>(got));
  return Woken::kInput;
}

}  // namespace flatout::cli
