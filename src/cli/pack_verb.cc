// `flatout pack SRC DST`.
#include <unistd.h>

#include <algorithm>
#include <string>

#include "app/data_library.h"
#include "app/voice.h"
#include "base/file.h"
#include "base/time.h"
#include "cli/answer.h"
#include "cli/pack_text.h"
#include "cli/verbs.h"
#include "trial/stop_signals.h"

namespace flatout::cli {
namespace {

constexpr std::size_t kMostSaid = 20;
constexpr base::DurationNs kBarEvery = 100 * base::kMillisecond;

// Draws the bar on a terminal, and ends packing when the user asks for it.
class Watch {
 public:
  int at(std::int64_t done, std::int64_t total, std::int64_t left_out) {
    const base::TimeNs now = base::read_clock_ns(CLOCK_MONOTONIC);
    if (terminal_ && (now - drawn_ >= kBarEvery || done == total)) {
      drawn_ = now;
      write("\r" + pack_bar(done, total, left_out, now - begin_) + "\x1b[K");
    }
    return signals_.asked() ? 1 : 0;
  }
  ~Watch() {
    if (drawn_ != 0) write("\n");
  }

 private:
  static void write(const std::string& text) { (void)base::write_all(2, text, "stderr"); }

  trial::StopSignals signals_;
  const bool terminal_ = ::isatty(2) == 1;
  const base::TimeNs begin_ = base::read_clock_ns(CLOCK_MONOTONIC);
  base::TimeNs drawn_ = 0;
};

int on_progress(void* context, std::int64_t done, std::int64_t total, std::int64_t left_out) {
  return static_cast<Watch*>(context)->at(done, total, left_out);
}

void say_bad(const PackDone& done) {
  app::Voice voice(false);
  const std::size_t said = std::min(done.why.size(), kMostSaid);
  for (std::size_t i = 0; i < said; ++i) voice.error("left out: " + done.why[i]);
  if (done.why.size() > said)
    voice.error("left out: " + std::to_string(done.left_out - static_cast<std::int64_t>(said)) +
                " more");
}

base::Result<std::string> pack(const app::DataLibrary& library, const std::string& spec) {
  Watch watch;
  const char* report = nullptr;
  if (library.pack(spec.c_str(), on_progress, &watch, &report) == FLATOUT_OK) return report;
  return base::fail(base::ErrorCode::kInvalid, library.error());
}

}  // namespace

int pack_verb(const PackVerbOptions& options) {
  const auto spec = pack_spec(options);
  if (!spec) return answer(std::unexpected(spec.error()));
  const auto library = app::open_data_library();
  if (!library) return answer(std::unexpected(library.error()));
  const auto report = pack(*library, *spec);
  if (!report) return answer(std::unexpected(report.error()));
  const auto done = read_pack_report(*report);
  if (!done) return answer(std::unexpected(done.error()));
  say_bad(*done);
  const int status =
      answer(options.format == Format::kJson ? pack_json(*report) : pack_text(*done, options.to));
  return done->left_out > 0 ? 1 : status;
}

}  // namespace flatout::cli
