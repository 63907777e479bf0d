#include "app/history/copy_history.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <vector>

#include "app/tracked_headline.h"
#include "run/facts.h"
#include "store/point_scan.h"
#include "store/run_meta.h"

namespace flatout::app {
namespace {

namespace fs = std::filesystem;
using RowJson = nlohmann::json;

constexpr std::size_t kHistoryBatch = 8192;
constexpr int kDeepestRow = 32;

bool wanted_step(const HistoryAsked& asked, std::optional<std::int64_t> step) {
  return !asked.step || (step && *step <= *asked.step);
}

bool is_wanted(const HistoryAsked& asked, const HistorySource& source,
               const store::ValueColumns& columns, std::size_t i) {
  const std::uint32_t track = columns.tracks.empty() ? 0 : columns.tracks[i];
  const std::int64_t step = columns.steps[i];
  return std::ranges::binary_search(source.tracks, std::pair(columns.pid, track)) &&
         wanted_step(asked, step == run::NamedValue::kNoStep ? std::nullopt : std::optional(step));
}

struct HistoryExtent {
  std::int64_t first_ns = std::numeric_limits<std::int64_t>::max();
  std::int64_t last_ns = std::numeric_limits<std::int64_t>::min();
  void add(std::int64_t t_ns) {
    first_ns = std::min(first_ns, t_ns);
    last_ns = std::max(last_ns, t_ns);
  }
  bool any() const { return first_ns <= last_ns; }
};

// Where values of the history lie, without keeping one.
class HistoryPlaces final : public store::PointTaker {
 public:
  HistoryPlaces(const HistoryAsked& asked, const HistorySource& source,
                std::function<bool()> in_time)
      : asked_(asked), source_(source), in_time_(std::move(in_time)) {}

  void values(const store::ValueColumns& columns, store::PointPlace place) override {
    bool any = false;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (!is_wanted(asked_, source_, columns, i)) continue;
      extent.add(columns.times_ns[i]);
      any = true;
    }
    if (any) pieces.push_back(place);
  }
  void samples(std::span<const run::Sample>, store::PointPlace) override {}
  void chunk(const store::PointChunk&, store::PointPlace) override {}
  bool wants_more() const override { return in_time_(); }

  std::vector<store::PointPlace> pieces;
  HistoryExtent extent;

 private:
  const HistoryAsked& asked_;
  const HistorySource& source_;
  std::function<bool()> in_time_;
};

RowJson parsed_row(const std::string& text) {
  const auto shallow = [](int depth, RowJson::parse_event_t, RowJson&) {
    return depth < kDeepestRow;
  };
  return RowJson::parse(text, shallow, /*allow_exceptions=*/false);
}

// Values of "file" at any depth.
void add_named_files(const RowJson& json, std::set<std::string>& to) {
  for (const auto& [key, value] : json.items()) {
    if (key == "file" && value.is_string()) to.insert(value.get<std::string>());
    if (value.is_structured()) add_named_files(value, to);
  }
}

class HistoryCopy {
 public:
  HistoryCopy(const HistoryAsked& asked, fs::path folder, run::RunSink& sink,
              const base::Clock& clock, base::TimeNs until_ns)
      : asked_(asked),
        folder_(std::move(folder)),
        sink_(sink),
        clock_(clock),
        until_ns_(until_ns) {}

  CopiedHistory of(const FoundHistory& found) {
    say(run::facts::kTrackConfig, {{"set", RowJson::parse(found.config, nullptr, false)}});
    for (const run::TrackedMetric& metric : found.metrics) say_metric(metric);
    std::vector<Scanned> scanned;
    for (const HistorySource& source : found.sources) scanned.push_back(scan(source));
    shift(scanned);
    for (Scanned& one : scanned) write(one);
    return std::move(out_);
  }

 private:
  struct Scanned {
    const HistorySource* source;
    std::optional<store::PointScan> scan;
    std::vector<store::PointPlace> pieces;
    HistoryExtent extent;
    std::int64_t shift_ns = 0;  // from times there to times here
  };

  bool in_time() const { return clock_.monotonic() < until_ns_; }
  void problem(const std::string& text) {
    if (out_.problem.empty()) out_.problem = text;
  }

  Scanned scan(const HistorySource& source) {
    Scanned out{.source = &source, .scan = {}, .pieces = {}, .extent = {}};
    for (const run::TrackedRow& row : source.rows) {
      if (wanted_step(asked_, row.step)) out.extent.add(row.t_ns);
    }
    auto scan = store::PointScan::open(source.folder, store::ScanOf::kValues);
    if (!scan) {
      problem(scan.error().message);
      return out;
    }
    HistoryPlaces places(asked_, source, [this] { return in_time(); });
    if (const auto done = scan->next(places); !done) problem(done.error().message);
    if (!in_time()) problem("reading it takes too long");
    out.pieces = std::move(places.pieces);
    if (places.extent.any()) {
      out.extent.add(places.extent.first_ns);
      out.extent.add(places.extent.last_ns);
    }
    out.scan.emplace(std::move(*scan));
    return out;
  }

  // The latest ends where this run begins, each other where the next begins.
  void shift(std::vector<Scanned>& scanned) const {
    std::int64_t end_ns = asked_.t_ns;
    for (auto one = scanned.rbegin(); one != scanned.rend(); ++one) {
      if (!one->extent.any()) continue;
      one->shift_ns = end_ns - one->extent.last_ns;
      end_ns = one->extent.first_ns + one->shift_ns;
    }
  }

  void write(Scanned& from) {
    std::vector<run::NamedValue> batch;
    store::ValueColumns columns;
    for (const store::PointPlace& piece : from.pieces) {
      if (!in_time()) return problem("reading it takes too long");
      if (!from.scan->values_at(piece, columns)) {
        problem("a part of recording " + from.source->recording + " cannot be read");
        continue;
      }
      for (std::size_t i = 0; i < columns.size(); ++i) {
        if (!is_wanted(asked_, *from.source, columns, i)) continue;
        batch.push_back({.t_ns = columns.times_ns[i] + from.shift_ns,
                         .value = columns.values[i],
                         .step = columns.steps[i],
                         .track = asked_.track,
                         .name = std::string(columns.names[columns.name[i]])});
        if (batch.size() == kHistoryBatch) hand_on(batch);
      }
    }
    hand_on(batch);
    for (const run::TrackedRow& row : from.source->rows) {
      if (!wanted_step(asked_, row.step)) continue;
      if (!in_time()) return problem("reading it takes too long");
      write_row(row, from);
    }
  }

  void hand_on(std::vector<run::NamedValue>& batch) {
    if (batch.empty()) return;
    if (const auto done = sink_.values(asked_.pid, batch); !done) {
      problem(done.error().message);
    } else {
      out_.values += static_cast<std::int64_t>(batch.size());
    }
    batch.clear();
    // What waits for the disk lies in memory until then.
    if (const auto done = sink_.flush(); !done) problem(done.error().message);
  }

  void write_row(const run::TrackedRow& row, const Scanned& from) {
    RowJson body = RowJson::object();
    std::set<std::string> files;
    if (row.step) body["step"] = *row.step;
    RowJson data = parsed_row(row.data);
    if (data.is_structured()) add_named_files(data, files);
    if (!row.in_file.empty()) {
      body["in_file"] = row.in_file;
      files.insert(row.in_file);
    } else if (data.is_object()) {
      body["data"] = std::move(data);
    }
    for (const std::string& name : std::set(files)) {
      if (name.ends_with(".json")) add_cells(name, from.source->folder, files);
    }
    for (const std::string& name : files) bring_file(name, from.source->folder);
    if (say(run::facts::kTrackRow, std::move(body), row.t_ns + from.shift_ns)) ++out_.rows;
  }

  // Pictures stand in the cells of a table, which is a file of its own.
  static void add_cells(const std::string& table, const fs::path& from,
                        std::set<std::string>& files) {
    const auto text = read_tracked_file(from, table);
    if (!text) return;
    const RowJson cells = parsed_row(*text);
    if (cells.is_structured()) add_named_files(cells, files);
  }

  void bring_file(const std::string& name, const fs::path& from) {
    if (!is_tracked_file_name(name) || from == folder_) return;
    const fs::path there = from / store::kTrackedFolderName / name;
    const fs::path here = folder_ / store::kTrackedFolderName / name;
    std::error_code error;
    fs::create_directories(here.parent_path(), error);
    if (fs::exists(fs::symlink_status(here, error))) return;  // named by its content
    if (!fs::is_regular_file(fs::symlink_status(there, error))) {
      return problem("its file " + name + " is gone");
    }
    fs::create_hard_link(there, here, error);
    if (!error) return;
    fs::copy_file(there, here, error);
    if (error) problem("its file " + name + " cannot be copied: " + error.message());
  }

  void say_metric(const run::TrackedMetric& metric) {
    RowJson body = {{"name", metric.name}};
    if (!metric.step_metric.empty()) body["step_metric"] = metric.step_metric;
    if (!metric.summary.empty()) body["summary"] = metric.summary;
    if (!metric.goal.empty()) body["goal"] = metric.goal;
    if (metric.step_sync) body["step_sync"] = true;
    if (metric.hidden) body["hidden"] = true;
    say(run::facts::kTrackMetric, std::move(body));
  }

  bool say(std::string_view key, RowJson body, std::optional<std::int64_t> t_ns = {}) {
    body["track"] = asked_.track;
    const auto done = sink_.fact(
        asked_.pid, {.t_ns = t_ns.value_or(asked_.t_ns),
                     .key = std::string(key),
                     .json = body.dump(-1, ' ', false, RowJson::error_handler_t::replace)});
    if (!done) problem(done.error().message);
    return done.has_value();
  }

  const HistoryAsked& asked_;
  const fs::path folder_;
  run::RunSink& sink_;
  const base::Clock& clock_;
  const base::TimeNs until_ns_;
  CopiedHistory out_;
};

}  // namespace

CopiedHistory copy_history(const HistoryAsked& asked, const FoundHistory& found,
                           const fs::path& folder, run::RunSink& sink, const base::Clock& clock,
                           base::TimeNs until_ns) {
  return HistoryCopy(asked, folder, sink, clock, until_ns).of(found);
}

}  // namespace flatout::app
