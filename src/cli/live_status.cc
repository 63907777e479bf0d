#include "cli/live_status.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/file.h"
#include "base/terminal_text.h"
#include "cli/terminal.h"
#include "report/quantity.h"

namespace flatout::cli {
namespace {

// Terminals that have a title and keep the one before (XTWINOPS 22 and 23).
constexpr std::array<std::string_view, 11> kWithTitle = {"xterm",     "screen", "tmux",   "rxvt",
                                                         "alacritty", "foot",   "kitty",  "wezterm",
                                                         "konsole",   "vte",    "contour"};

std::string words(std::string finding) {
  std::ranges::replace(finding, '_', '-');
  return finding;
}

}  // namespace

std::string live_text(const LiveFigures& figures) {
  std::string text;
  if (figures.steps > 0) {
    text = "step " + std::to_string(figures.steps);
    if (figures.steps_per_s) {
      text += *figures.steps_per_s >= 1 || *figures.steps_per_s <= 0
                  ? ", " + report::format_number(*figures.steps_per_s) + " steps/s"
                  : ", " + report::format_seconds(1 / *figures.steps_per_s) + " a step";
    }
  } else {
    text = figures.hooks ? "no step yet" : "running";
  }
  if (!figures.verdict.empty() && figures.verdict != "no_steps") {
    text += ", " + words(figures.verdict) + " so far";
  }
  return text + ", " + report::format_seconds(static_cast<double>(figures.elapsed_ns) / 1e9);
}

std::string live_line(std::string text, std::size_t columns) {
  const std::size_t room = std::max<std::size_t>(columns, 2) - 1;
  while (base::display_width(text) > room && text.rfind(", ") != std::string::npos) {
    text.resize(text.rfind(", "));
  }
  return base::shorten_to(text, room);
}

std::optional<double> StepRate::at(base::TimeNs now, std::uint64_t steps) {
  const Look& last = looks_[(count_ + kLooks - 1) % kLooks];
  if (count_ == 0 || now - last.t_ns >= base::kSecond) {
    looks_[count_ % kLooks] = {.t_ns = now, .steps = steps};
    ++count_;
  }
  const Look& first = looks_[count_ < kLooks ? 0 : count_ % kLooks];
  if (now - first.t_ns < base::kSecond || steps <= first.steps) return std::nullopt;
  return static_cast<double>(steps - first.steps) * 1e9 / static_cast<double>(now - first.t_ns);
}

LivePlace live_place(int fd, bool shared, const char* term) {
  const std::string_view name = term == nullptr ? "" : term;
  if (name.empty() || name == "dumb" || !is_terminal(fd)) return LivePlace::kNowhere;
  if (!shared) return LivePlace::kLine;
  const bool titled = std::ranges::any_of(
      kWithTitle, [&](std::string_view known) { return name.starts_with(known); });
  return titled ? LivePlace::kTitle : LivePlace::kNowhere;
}

// Asked each time: a job may be sent to the background, where the terminal is somebody else's.
void LiveStatus::show(const std::string& text) {
  if (place_ == LivePlace::kNowhere || text == shown_) return;
  const pid_t foreground = ::tcgetpgrp(fd_);  // none: a terminal that is not this session's
  if ((foreground >= 0 && foreground != ::getpgrp()) || !can_write()) return;
  shown_ = text;
  const std::string safe = "flatout: " + base::terminal_text(text, false);
  if (place_ == LivePlace::kTitle) {
    write((begun_ ? "" : "\x1b[22;2t") + ("\x1b]2;" + safe) + "\x07");
  } else {
    write("\r\x1b[K" + live_line(safe, columns_of(fd_)));
  }
  begun_ = true;
}

void LiveStatus::clear() {
  if (!begun_ || place_ != LivePlace::kLine || shown_.empty() || !can_write()) return;
  write("\r\x1b[K");
  shown_.clear();
}

void LiveStatus::end() {
  clear();
  if (begun_ && place_ == LivePlace::kTitle && can_write()) write("\x1b]2;\x07\x1b[23;2t");
  begun_ = false;
  place_ = LivePlace::kNowhere;
}

// A terminal that was stopped (Ctrl-S) or is gone takes nothing, and whoever writes to it waits:
// the recorder would, and with it the program's signals.
bool LiveStatus::can_write() const {
  pollfd look{.fd = fd_, .events = POLLOUT, .revents = 0};
  return ::poll(&look, 1, 0) == 1 && (look.revents & POLLOUT) != 0;
}

// At once, so that nothing of the program comes between.
void LiveStatus::write(const std::string& text) const {
  (void)base::write_all(fd_, text, "the terminal");
}

}  // namespace flatout::cli
