#include <fcntl.h>
#include <spawn.h>
#include <sys/types.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include "app/stored_runs.h"
#include "app/voice.h"
#include "base/file.h"
#include "base/new_file.h"
#include "cli/answer.h"
#include "cli/verbs.h"
#include "serve/ui.h"

namespace flatout::cli {
namespace {

namespace fs = std::filesystem;

bool set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

// A page that leads to the address. A command line is everybody's to read, and the address holds
// the token: so the browser is given this file, which is not.
class WayIn {
 public:
  WayIn(const store::Home& home, const std::string& url)
      : path_(home.root() / ("ui-" + std::to_string(::getpid()) + ".html")) {
    const std::string page =
        "<!doctype html><meta charset=\"utf-8\"><meta name=\"referrer\" content=\"no-referrer\">"
        "<title>flatout</title><meta http-equiv=\"refresh\" content=\"0;url=" +
        url + "\">\n";
    if (!base::make_private_dirs(home.root()) || !base::write_private_file(path_, page)) {
      path_.clear();
    }
  }
  WayIn(const WayIn&) = delete;
  WayIn& operator=(const WayIn&) = delete;
  ~WayIn() { remove(); }
  // Any thread.
  void remove() const {
    std::error_code ignored;
    if (!path_.empty()) fs::remove(path_, ignored);
  }

  // Whether a browser was asked to; one that is not there is no error.
  bool open() const {
    if (path_.empty() || (!set("DISPLAY") && !set("WAYLAND_DISPLAY"))) return false;
    std::string program = "xdg-open", file = path_.string();
    char* argv[] = {program.data(), file.data(), nullptr};
    posix_spawn_file_actions_t silent;
    posix_spawn_file_actions_init(&silent);
    for (const int fd : {0, 1, 2}) {
      posix_spawn_file_actions_addopen(&silent, fd, "/dev/null", O_RDWR, 0);
    }
    pid_t child = 0;
    const bool started = ::posix_spawnp(&child, argv[0], &silent, nullptr, argv, environ) == 0;
    posix_spawn_file_actions_destroy(&silent);
    return started;
  }

 private:
  fs::path path_;
};

}  // namespace

int ui_verb(const UiOptions& options) {
  app::Voice voice(false);
  voice.never_wait();
  const auto home = app::open_home(options.home);
  if (!home) return answer(std::unexpected(home.error()));
  if (!serve::has_page()) voice.note("this build has no page: only the API is served");
  std::optional<WayIn> way_in;
  const auto served = serve::serve_ui(
      *home, {.port = options.port, .token_file = options.token_file},
      [&](const std::string& url) {
        (void)base::write_all(1, url + "\n", "stdout");
        voice.note("runs of " + home->root().string() + "; Ctrl-C ends it");
        if (!options.open || !serve::has_page()) return;
        way_in.emplace(*home, url);
        (void)way_in->open();
      },
      [&] {
        if (way_in) way_in->remove();
      });
  return served ? 0 : answer(std::unexpected(served.error()));
}

}  // namespace flatout::cli
