#include "analyse/tracked/tracked_runs.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "analyse/tracked/branches.h"
#include "analyse/tracked/config_text.h"
#include "analyse/tracked/logged_series.h"
#include "analyse/tracked/summary.h"

namespace flatout::analyse {
namespace {

// * and ? as in a shell's pattern. Linear in name for each *, so no name makes it slow.
bool fits(std::string_view pattern, std::string_view name) {
  std::size_t at = 0, p = 0;
  std::size_t star = std::string_view::npos, resume = 0;
  while (at < name.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[at]) && pattern[p] != '*') {
      ++p;
      ++at;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = at;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      at = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

// A change that a part stated, for those of all parts to be taken in order of time.
struct Change {
  pid_t pid;
  std::uint32_t track;
  std::int64_t t_ns;
  std::vector<std::string> remove;
  std::string set;
};

struct Building {
  run::TrackedRun run;
  std::vector<Change> config;
  std::vector<Change> summary;
  std::int64_t stated_ns = 0;  // its latest track_run
  std::pair<pid_t, std::uint32_t> stated_by;
};

class Builder {
 public:
  Builder(const run::Timeline& timeline, const ReadTrackedFile& read)
      : timeline_(timeline), read_(read) {}

  std::vector<run::TrackedRun> build() {
    for (const auto& [pid, process] : timeline_.processes) {
      if (!process.facts.observed().track_runs.empty()) take(pid, process);
    }
    return finished();
  }

 private:
  using PartKey = std::pair<pid_t, std::uint32_t>;

  static std::uint32_t track_of(const auto& fact) { return static_cast<std::uint32_t>(fact.track); }

  void take(pid_t pid, const run::ProcessTrack& process) {
    const run::Observed& said = process.facts.observed();
    for (const auto& fact : said.track_runs) announce(pid, fact);
    for (const auto& said_so : said.track_configs) {
      if (Building* to = of(pid, said_so.track)) {
        run::TrackConfigFact fact = whole(said_so);
        to->config.push_back(
            {pid, track_of(said_so), fact.t_ns, std::move(fact.remove), std::move(fact.set)});
      }
    }
    for (const auto& said_so : said.track_summaries) {
      if (Building* to = of(pid, said_so.track)) {
        to->summary.push_back({pid, track_of(said_so), said_so.t_ns, {}, whole(said_so).set});
      }
    }
    for (const auto& fact : said.track_metrics) take_metric(pid, fact);
    for (const auto& fact : said.track_rows) take_row(pid, fact);
    for (const auto& fact : said.track_alerts) {
      if (Building* to = of(pid, fact.track)) {
        to->run.alerts.push_back({pid, fact.t_ns, fact.title, fact.text, fact.level});
      }
    }
    for (const auto& fact : said.track_files) {
      if (Building* to = of(pid, fact.track)) {
        to->run.files.push_back(
            {pid, fact.t_ns, fact.path, fact.file, fact.bytes, fact.kind, fact.artifact});
      }
    }
    for (const auto& fact : said.track_ends) end(pid, fact);
    for (const auto& fact : said.track_histories) take_history(pid, fact);
    // Of the whole process, so it is said of its first.
    if (!said.track_losses.empty()) {
      if (Building* to = of(pid, static_cast<int>(said.track_losses.back().track))) {
        to->run.lost_values += said.track_losses.back().values;
        to->run.lost_facts += said.track_losses.back().facts;
      }
    }
    for (run::TrackedSeries& series : logged_series(pid, process)) {
      if (Building* to = of(pid, static_cast<int>(series.track))) {
        to->run.series.push_back(std::move(series));
      }
    }
  }

  void announce(pid_t pid, const run::TrackRunFact& fact) {
    const PartKey part(pid, static_cast<std::uint32_t>(fact.track));
    // Without an id it is one of its own.
    const std::string id =
        fact.id.empty() ? "\n" + std::to_string(pid) + "." + std::to_string(fact.track) : fact.id;
    const auto known = parts_.find(part);
    if (known == parts_.end()) {
      Building& to = runs_[{fact.source, id}];
      parts_[part] = &to;
      to.run.parts.push_back({.pid = pid,
                              .track = part.second,
                              .started_ns = fact.t_ns,
                              .ended_ns = std::nullopt,
                              .exit_code = std::nullopt,
                              .name_space = fact.name_space,
                              .resumed = fact.resumed,
                              .branch = branch_of(fact)});
    }
    Building& to = *parts_[part];
    if (to.run.parts.size() == 1 || fact.t_ns >= to.stated_ns) state(part, fact, to);
  }

  // A part that resumes a run often says its id alone: what was known of it stays.
  static void state(const PartKey& part, const run::TrackRunFact& fact, Building& to) {
    const bool resumes = to.stated_ns != 0 && std::exchange(to.stated_by, part) != part;
    to.stated_by = part;
    to.stated_ns = fact.t_ns;
    to.run.source = fact.source;
    to.run.id = fact.id;
    const auto put = [resumes](const auto& said, auto& known) {
      if (!resumes || !said.empty()) known = said;
    };
    put(fact.project, to.run.project);
    put(fact.entity, to.run.entity);
    put(fact.name, to.run.name);
    put(fact.group, to.run.group);
    put(fact.job_type, to.run.job_type);
    put(fact.tags, to.run.tags);
    put(fact.notes, to.run.notes);
    put(fact.mode, to.run.mode);
  }

  Building* of(pid_t pid, int track) {
    const auto known = parts_.find({pid, static_cast<std::uint32_t>(track)});
    return known == parts_.end() ? nullptr : known->second;
  }

  // What lies in a file is the same fact, whole.
  template <typename Fact>
  Fact whole(const Fact& fact) const {
    const auto text = fact.in_file.empty() || !read_ ? std::nullopt : read_(fact.in_file);
    auto read = text ? run::decode<Fact>(*text) : std::nullopt;
    if (!read) return fact;
    read->t_ns = fact.t_ns;
    read->track = fact.track;
    read->in_file = fact.in_file;
    return std::move(*read);
  }

  void take_metric(pid_t pid, const run::TrackMetricFact& fact) {
    Building* to = of(pid, fact.track);
    if (to == nullptr) return;
    std::erase_if(to->run.metrics,
                  [&](const run::TrackedMetric& known) { return known.name == fact.name; });
    to->run.metrics.push_back({.name = fact.name,
                               .step_metric = fact.step_metric,
                               .summary = fact.summary,
                               .goal = fact.goal,
                               .step_sync = fact.step_sync,
                               .hidden = fact.hidden});
  }

  void take_row(pid_t pid, const run::TrackRowFact& fact) {
    Building* to = of(pid, fact.track);
    if (to == nullptr) return;
    to->run.rows.push_back({.pid = pid,
                            .track = static_cast<std::uint32_t>(fact.track),
                            .t_ns = fact.t_ns,
                            .step = fact.step,
                            .data = whole(fact).data,
                            .in_file = fact.in_file});
  }

  run::TrackedPart* part_of(pid_t pid, int track) {
    Building* to = of(pid, track);
    if (to == nullptr) return nullptr;
    for (run::TrackedPart& part : to->run.parts) {
      if (part.pid == pid && part.track == static_cast<std::uint32_t>(track)) return &part;
    }
    return nullptr;
  }

  void end(pid_t pid, const run::TrackEndFact& fact) {
    if (run::TrackedPart* part = part_of(pid, fact.track)) {
      part->ended_ns = fact.t_ns;
      part->exit_code = fact.exit_code;
    }
  }

  void take_history(pid_t pid, const run::TrackHistoryFact& fact) {
    run::TrackedPart* part = part_of(pid, fact.track);
    if (part != nullptr) take_copied(fact, *part);
  }

  static void finish_ends(run::TrackedRun& run) {
    const auto open = [](const run::TrackedPart& part) { return !part.ended_ns; };
    for (const run::TrackedPart& part : run.parts) {
      if (!part.exit_code) continue;
      const bool worse = run.exit_code.value_or(0) == 0 || *part.exit_code != 0;
      if (worse) run.exit_code = part.exit_code;
    }
    if (std::ranges::any_of(run.parts, open)) return;
    for (const run::TrackedPart& part : run.parts) {
      run.ended_ns = std::max(run.ended_ns.value_or(*part.ended_ns), *part.ended_ns);
    }
  }

  static std::string in_time(std::vector<Change>& changes, nlohmann::json begin) {
    std::ranges::stable_sort(changes, {}, &Change::t_ns);
    ObjectInParts object;
    object.json() = std::move(begin);
    for (const Change& change : changes) {
      for (const std::string& path : change.remove) object.remove(path);
      object.merge(change.set);
    }
    return object.text();
  }

  std::vector<run::TrackedRun> finished() {
    std::vector<run::TrackedRun> out;
    for (auto& [key, building] : runs_) {
      run::TrackedRun& run = building.run;
      std::ranges::stable_sort(run.parts, {}, &run::TrackedPart::started_ns);
      std::ranges::stable_sort(run.rows, {}, &run::TrackedRow::t_ns);
      std::ranges::stable_sort(run.alerts, {}, &run::TrackedAlert::t_ns);
      std::ranges::stable_sort(run.files, {}, &run::TrackedFile::t_ns);
      std::ranges::sort(run.series, {}, [](const run::TrackedSeries& series) {
        return std::tie(series.name, series.pid, series.track);
      });
      finish_ends(run);
      archive_rewound(timeline_, run);
      // What an archived part set there is of steps that no longer count.
      std::erase_if(building.summary, [&](const Change& change) {
        return is_archived(run, change.pid, change.track);
      });
      run.config = in_time(building.config, nlohmann::json::object());
      run.summary = in_time(building.summary, summary_of(run.series, run.metrics));
      out.push_back(std::move(run));
    }
    std::ranges::stable_sort(
        out, {}, [](const run::TrackedRun& run) { return run.parts.front().started_ns; });
    return out;
  }

  const run::Timeline& timeline_;
  const ReadTrackedFile& read_;
  std::map<std::pair<std::string, std::string>, Building> runs_;
  std::map<PartKey, Building*> parts_;
};

}  // namespace

const run::TrackedMetric* rule_of(const std::vector<run::TrackedMetric>& metrics,
                                  std::string_view name) {
  const run::TrackedMetric* glob = nullptr;
  for (const run::TrackedMetric& metric : metrics) {
    if (metric.name == name) return &metric;
    if (fits(metric.name, name)) glob = &metric;
  }
  return glob;
}

std::vector<run::TrackedRun> tracked_runs(const run::Timeline& timeline,
                                          const ReadTrackedFile& read) {
  return Builder(timeline, read).build();
}

}  // namespace flatout::analyse
