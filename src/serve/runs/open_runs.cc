#include "serve/runs/open_runs.h"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "app/explain.h"
#include "app/stored_runs.h"
#include "report/json.h"
#include "store/log_file.h"
#include "store/seal.h"

namespace flatout::serve {
namespace {

constexpr std::size_t kMaxOpen = 16;

}  // namespace

// Sizes and times of the files that a run is read from.
std::string OpenRun::stamp() const {
  std::string text;
  for (const auto& file : {store::log_path(folder()), folder() / store::kSealedFileName}) {
    struct stat st{};
    if (::lstat(file.c_str(), &st) != 0) st = {};
    text += std::to_string(st.st_size) + ' ' + std::to_string(st.st_mtim.tv_sec) + '.' +
            std::to_string(st.st_mtim.tv_nsec) + ' ' + std::to_string(st.st_ino) + ';';
  }
  return text;
}

base::Result<void> OpenRun::read() {
  const auto now = std::chrono::steady_clock::now();
  if (timeline_ && now - read_at_ < kFresh) return {};
  std::string stamp_now = stamp();
  // A recorder that was killed writes no more: what the run then is changes without its files.
  if (timeline_ && stamp_now == stamp_ && timeline_->state != run::RunState::kRunning) return {};
  auto run = app::open_run(home_.root().string(), id_);
  if (!run) return std::unexpected(run.error());
  timeline_ = std::make_shared<const run::Timeline>(std::move(run->timeline));
  series_ = nullptr;
  report_ = nullptr;
  stamp_ = std::move(stamp_now);
  read_at_ = now;
  return {};
}

base::Result<std::shared_ptr<const run::Timeline>> OpenRun::timeline() {
  const std::lock_guard lock(mutex_);
  if (auto done = read(); !done) return std::unexpected(done.error());
  return timeline_;
}

base::Result<std::shared_ptr<const RunSeries>> OpenRun::series() {
  const std::lock_guard lock(mutex_);
  if (auto done = read(); !done) return std::unexpected(done.error());
  if (!series_) series_ = std::make_shared<const RunSeries>(*timeline_);
  return series_;
}

base::Result<std::shared_ptr<const std::string>> OpenRun::report_json() {
  const std::lock_guard lock(mutex_);
  if (auto done = read(); !done) return std::unexpected(done.error());
  if (!report_)
    report_ = std::make_shared<const std::string>(report::to_json(app::explain(*timeline_)));
  return report_;
}

std::size_t OpenRun::bytes() {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return 0;
  return (series_ ? series_->bytes() : 0) + (report_ ? report_->size() : 0);
}

std::shared_ptr<OpenRun> OpenRuns::open(std::string_view id) {
  if (!home_.has(id)) return nullptr;
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find_if(runs_, [&](const auto& run) { return run->id() == id; });
  if (found != runs_.end()) {
    runs_.splice(runs_.begin(), runs_, found);
  } else {
    runs_.push_front(std::make_shared<OpenRun>(home_, std::string(id)));
  }
  close_some();
  return runs_.front();
}

void OpenRuns::close_some() {
  std::size_t bytes = 0;
  for (auto it = runs_.begin(); it != runs_.end();) {
    bytes += (*it)->bytes();
    const bool first = it == runs_.begin();
    const bool many = std::distance(runs_.begin(), it) >= static_cast<std::ptrdiff_t>(kMaxOpen);
    it = !first && (many || bytes > most_bytes_) ? runs_.erase(it) : std::next(it);
  }
}

}  // namespace flatout::serve
