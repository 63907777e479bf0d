#include "app/voice.h"

#include <fcntl.h>

#include <algorithm>

#include "base/printable.h"
#include "base/ready_write.h"

namespace flatout::app {

void Voice::redirect(const std::string& path) {
  base::UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!file) {
    const auto failure = base::fail_errno(errno, "cannot write the report to " + path);
    error(failure.error().message + "; it goes to stderr");
    return;
  }
  file_ = std::move(file);
}

void Voice::say(std::string_view line) {
  std::string text(line);
  std::replace(text.begin(), text.end(), '\n', ' ');
  text = base::printable(text);
  if (said_.insert(text).second) write("flatout: " + text + "\n");
}

void Voice::write(std::string_view text) {
  if (clear_) clear_();
  const int fd = this->fd();
  if (!waits_) {
    (void)base::write_if_ready(fd, text);
    return;
  }
  // Nobody is left to tell if stderr itself is gone.
  if (!base::write_all(fd, text, "the report") && file_) {
    (void)base::write_all(fallback_, text, "stderr");
  }
}

}  // namespace flatout::app
