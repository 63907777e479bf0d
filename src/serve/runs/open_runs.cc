#include "serve/runs/open_runs.h"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "analyse/run_steps.h"
#include "analyse/step_lane.h"
#include "app/describe.h"
#include "app/explain.h"
#include "app/stored_runs.h"
#include "report/json.h"
#include "store/log_file.h"
#include "store/run_reader.h"
#include "store/seal.h"

namespace flatout::serve {
namespace {

constexpr std::size_t kMaxOpen = 16;

// Of two stamps: the same log, which may have grown.
bool same_log(std::string_view a, std::string_view b) {
  const auto inode = [](std::string_view stamp) {
    const auto log = stamp.substr(0, stamp.find(';'));
    return log.substr(log.rfind(' ') + 1);
  };
  return inode(a) == inode(b) && inode(a) != "0";
}

class NoSteps final : public analyse::StepSink {
 public:
  void step(const analyse::Step&) override {}
  void correct_samples(std::size_t, double) override {}
};

analyse::LoaderTimes loader_of(const run::Timeline& timeline) {
  const auto lane = analyse::find_step_lane(timeline);
  if (!lane) return {};
  const run::ProcessTrack& process = timeline.processes.at(lane->pid);
  NoSteps none;
  const analyse::StepCut cut =
      analyse::cut_steps(run::LaneEvents(process, lane->lane),
                         analyse::step_options(timeline, process, lane->updates), none);
  return analyse::loader_times(timeline, process, cut);
}

std::vector<std::int64_t> checkpoints_of(const run::Timeline& timeline) {
  std::vector<std::int64_t> out;
  for (const auto& [pid, track] : timeline.processes) {
    for (const run::PhaseEvent& event : track.phases) {
      if (event.phase == run::Phase::kCheckpoint && event.begin) out.push_back(event.t_ns);
    }
  }
  return out;
}

// Of the first so many spans of the host, as a request may not go over all of a long trace.
std::vector<OpenRun::Mark> marks_of(const run::Timeline& timeline) {
  constexpr std::size_t kMostSpans = 1'000'000;
  std::vector<OpenRun::Mark> out;
  if (!timeline.names) return out;
  std::size_t looked_at = 0;
  for (const auto& [pid, track] : timeline.processes) {
    for (const run::HostSpan& span : track.host_spans) {
      if (++looked_at > kMostSpans || out.size() == OpenRun::kMostMarks) return out;
      if (span.kind != run::HostSpanKind::kMark) continue;
      out.push_back({span.begin_ns, std::string(timeline.names->at(span.name))});
    }
  }
  return out;
}

std::size_t bytes_of(const std::vector<analyse::DeviceIdle>& devices) {
  std::size_t sum = 0;
  for (const auto& one : devices) sum += one.pieces.capacity() * sizeof(analyse::IdlePiece);
  return sum;
}

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
  // A recorder that was killed writes no more: what the run then is changes without its files, and
  // what outlives it goes on filling rings, which opening the run reads.
  const bool goes_on =
      timeline_ && (timeline_->state == run::RunState::kRunning || !timeline_->survivors.empty());
  if (timeline_ && stamp_now == stamp_ && !goes_on) return {};
  auto run = app::open_run(home_.root().string(), id_);
  if (!run) return std::unexpected(run.error());
  timeline_ = std::make_shared<const run::Timeline>(std::move(run->timeline));
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

base::Result<void> OpenRun::read_outline() {
  const auto now = std::chrono::steady_clock::now();
  if (outline_ && now - outline_read_at_ < kFresh) return {};
  std::string stamp_now = stamp();
  const bool may_change = !outline_ || outline_->state == run::RunState::kRunning;
  if (!may_change && stamp_now == outline_stamp_) return {};
  auto read = store::read_run(folder(), store::viewpoint_here(), {.points = false});
  if (!read) return std::unexpected(read.error());
  outline_ = std::make_shared<const run::Timeline>(std::move(*read));
  outline_stamp_ = std::move(stamp_now);
  outline_read_at_ = now;
  steps_ = nullptr;
  return {};
}

base::Result<std::shared_ptr<const run::Timeline>> OpenRun::outline() {
  const std::lock_guard lock(outline_mutex_);
  if (auto done = read_outline(); !done) return std::unexpected(done.error());
  return outline_;
}

base::Result<OpenRun::Steps> OpenRun::steps() {
  const std::lock_guard lock(outline_mutex_);
  if (auto done = read_outline(); !done) return std::unexpected(done.error());
  if (!steps_) steps_ = std::make_shared<const std::vector<StepsOf>>(step_tables(*outline_));
  return Steps{steps_, outline_->info.started_ns};
}

base::Result<std::shared_ptr<const std::vector<analyse::DeviceIdle>>> OpenRun::idle() {
  const auto timeline = outline();
  if (!timeline) return std::unexpected(timeline.error());
  return idle_.get(*timeline, [](const run::Timeline& of) { return analyse::idle_pieces(of); });
}

base::Result<std::shared_ptr<const analyse::LoaderTimes>> OpenRun::loader() {
  const auto timeline = outline();
  if (!timeline) return std::unexpected(timeline.error());
  return loader_.get(*timeline, loader_of);
}

base::Result<std::shared_ptr<const run::Description>> OpenRun::described() {
  const auto timeline = outline();
  if (!timeline) return std::unexpected(timeline.error());
  return described_.get(
      *timeline, [this](const run::Timeline& of) { return app::describe_recording(of, folder()); });
}

base::Result<std::shared_ptr<const std::vector<std::int64_t>>> OpenRun::checkpoints() {
  const auto timeline = outline();
  if (!timeline) return std::unexpected(timeline.error());
  return checkpoints_.get(*timeline, checkpoints_of);
}

base::Result<std::shared_ptr<const std::vector<OpenRun::Mark>>> OpenRun::marks() {
  const auto timeline = outline();
  if (!timeline) return std::unexpected(timeline.error());
  return marks_.get(*timeline, marks_of);
}

// A log that was sealed meanwhile is another file, which holds the same points.
base::Result<void> OpenRun::read_series() {
  const auto now = std::chrono::steady_clock::now();
  if (series_ && now - series_read_at_ < kFreshSeries) return {};
  std::string stamp_now = stamp();
  if (series_ && stamp_now == series_stamp_) return {};
  const bool goes_on = series_ && !series_->complete() && same_log(stamp_now, series_stamp_);
  if (goes_on) {
    if (auto done = series_->refresh(); !done) return done;
  } else {
    auto opened = RunSeries::open(folder());
    if (!opened) return std::unexpected(opened.error());
    series_ = std::move(*opened);
  }
  series_stamp_ = std::move(stamp_now);
  series_read_at_ = now;
  return {};
}

base::Result<Held<RunSeries>> OpenRun::series() {
  Held<RunSeries> held{std::unique_lock(series_mutex_), nullptr};
  if (auto done = read_series(); !done) return std::unexpected(done.error());
  held.it = series_;
  return held;
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
  const std::unique_lock series_lock(series_mutex_, std::try_to_lock);
  const std::unique_lock outline_lock(outline_mutex_, std::try_to_lock);
  std::size_t report = lock && report_ ? report_->size() : 0;
  if (outline_lock && steps_) report += bytes_of(*steps_);
  if (const auto idle = idle_.peek()) report += bytes_of(*idle);
  if (const auto loader = loader_.peek()) report += loader->bytes();
  return report + (series_lock && series_ ? series_->bytes() : 0);
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
