#include "app/import_sink.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/tracked_headline.h"
#include "run/facts.h"
#include "run/plausible.h"
#include "store/kept_file.h"
#include "store/run_reader.h"
#include "store/seal.h"

namespace flatout::app {
namespace {

using Json = nlohmann::ordered_json;

// An imported run has no CLOCK_MONOTONIC of its own: it began at this time of one.
constexpr std::int64_t kStartNs = base::kSecond;
constexpr std::int64_t kLongestNs = std::int64_t{30} * 365 * 86400 * base::kSecond;
// The process that logged, whose number nobody kept.
constexpr pid_t kLogger = 1;
constexpr std::size_t kLongestName = 512;
constexpr std::size_t kMostNotes = 64;

std::string dumped(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string track_run_json(const trackers::ImportedHead& head) {
  Json out = {{"track", 0}, {"source", head.source}, {"id", head.id}};
  const auto put = [&out](const char* key, const std::string& text) {
    if (!text.empty()) out[key] = text;
  };
  put("project", head.project);
  put("entity", head.entity);
  put("name", head.name);
  put("group", head.group);
  put("job_type", head.job_type);
  if (!head.tags.empty()) out["tags"] = head.tags;
  put("notes", head.notes);
  return dumped(out);
}

}  // namespace

std::vector<std::string> import_command(const std::string& origin) {
  return {"flatout", "import", origin};
}

ImportIntoHome::ImportIntoHome(const store::Home& home, const base::Clock& clock,
                               std::string origin)
    : home_(home), clock_(clock), origin_(std::move(origin)) {}

namespace {

// Of a recording the writer also says that it goes on in memory; an import does not.
std::string not_written(store::RunWriter& writer, const std::string& otherwise) {
  const std::string problem = writer.take_problem().value_or(otherwise);
  return problem.substr(0, problem.find(';')) +
         "; make room, or name another place with --home or FLATOUT_HOME";
}

}  // namespace

ImportIntoHome::~ImportIntoHome() { close(); }

std::int64_t ImportIntoHome::t_ns(std::int64_t wall_ns) const {
  if (wall_ns <= 0 || started_wall_ns_ <= 0) return kStartNs;
  return kStartNs + std::clamp<std::int64_t>(wall_ns - started_wall_ns_, 0, kLongestNs);
}

base::Result<void> ImportIntoHome::begin(const trackers::ImportedHead& head) {
  writer_ = store::RunWriter::open(home_, clock_);
  if (!writer_->folder()) {
    auto problem = not_written(*writer_, home_.root().string() + " cannot be written");
    writer_.reset();
    return base::fail(base::ErrorCode::kIo, std::move(problem));
  }
  id_ = writer_->id();
  name_ = head.name;
  source_ = head.source;
  started_wall_ns_ = head.started_wall_ns;
  last_ns_ = kStartNs;
  run::RunInfo info;
  info.id = id_;
  info.name = head.name.substr(0, kLongestName);
  info.command = import_command(origin_);
  info.host = head.host;
  info.started_wall_ns = std::max<std::int64_t>(head.started_wall_ns, 0);
  info.started_ns = kStartNs;
  info.program_pid = kLogger;
  info.hooks_off =
      "it was imported from " + head.source + ": what its script logged is all there is";
  if (auto done = writer_->begin(info); !done) return done;
  const run::Proc logger{.pid = kLogger,
                         .parent = 0,
                         .start_ticks = 0,
                         .seen_ns = kStartNs,
                         .gone_ns = 0,
                         .role = run::ProcRole::kMain,
                         .rank = -1,
                         .worker_id = -1,
                         .command = head.command.substr(0, 1024)};
  if (auto done = writer_->proc(logger); !done) return done;
  return say(run::facts::kTrackRun, track_run_json(head), kStartNs);
}

base::Result<void> ImportIntoHome::say(std::string_view key, std::string json, std::int64_t at_ns) {
  last_ns_ = std::max(last_ns_, at_ns);
  return writer_->fact(kLogger, {.t_ns = at_ns, .key = std::string(key), .json = std::move(json)});
}

base::Result<void> ImportIntoHome::values(std::span<const trackers::ImportedValue> values) {
  std::vector<run::NamedValue> out;
  out.reserve(values.size());
  for (const trackers::ImportedValue& value : values) {
    if (value.name.empty()) continue;
    run::NamedValue named;
    named.t_ns = t_ns(value.wall_ns);
    named.value = value.value;
    named.step = value.step.value_or(run::NamedValue::kNoStep);
    named.name = value.name.substr(0, kLongestName);
    last_ns_ = std::max(last_ns_, named.t_ns);
    out.push_back(std::move(named));
  }
  value_count_ += out.size();
  if (auto done = writer_->values(kLogger, out); !done) return done;
  return writer_->flush();
}

base::Result<void> ImportIntoHome::fact(std::string_view key, std::string json,
                                        std::int64_t wall_ns) {
  Json out = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!out.is_object()) return {};
  out["track"] = 0;
  std::string text = dumped(out);
  constexpr std::size_t kLargestFact = 60'000;  // of a ring's record, which facts are made for
  if (text.size() > kLargestFact) {
    const auto kept = file(json, "json");
    if (!kept) return std::unexpected(kept.error());
    Json named = {{"track", 0}, {"in_file", *kept}};
    if (out.contains("step")) named["step"] = out["step"];
    text = dumped(named);
  }
  return say(key, std::move(text), t_ns(wall_ns));
}

base::Result<std::string> ImportIntoHome::file(std::string_view bytes, std::string_view extension) {
  return store::keep_file(*writer_->folder(), bytes, extension);
}

void ImportIntoHome::note(std::string line) {
  if (notes_.size() < kMostNotes) notes_.push_back(std::move(line));
}

base::Result<void> ImportIntoHome::end(trackers::ImportedEnd how, std::optional<int> exit_code,
                                       std::int64_t wall_ns) {
  last_ns_ = std::max(last_ns_, t_ns(wall_ns));
  const bool failed =
      how == trackers::ImportedEnd::kFailed || how == trackers::ImportedEnd::kKilled;
  const int code = exit_code.value_or(failed ? 1 : 0);
  // TensorBoard's files never say, nor do Neptune 3's: a line for each run would be noise.
  if (how == trackers::ImportedEnd::kNotSaid && source_ != "tensorboard" && source_ != "neptune") {
    note(source_ + " did not keep how it ended; it is shown as finished");
  }
  for (const std::string& line : notes_) {
    if (auto done = say(run::facts::kProblem, dumped({{"problem", line}}), last_ns_); !done) {
      return done;
    }
  }
  if (auto done = say(run::facts::kTrackEnd, dumped({{"track", 0}, {"exit_code", code}}), last_ns_);
      !done) {
    return done;
  }
  run::RunEnd end;
  end.t_ns = last_ns_;
  end.exit_code = code;
  if (auto done = writer_->end(end); !done) return done;
  if (auto done = writer_->flush(); !done) return done;
  if (!writer_->stored()) {
    return base::fail(base::ErrorCode::kIo,
                      not_written(*writer_, "it could not be written to the disk"));
  }
  ended_ = true;
  return {};
}

void ImportIntoHome::close() {
  if (!writer_) return;
  const auto folder = writer_->folder();
  writer_.reset();  // it holds the log's lock
  if (!folder) return;
  if (!ended_) {
    std::error_code ignored;
    std::filesystem::remove_all(*folder, ignored);
    id_.clear();
    return;
  }
  // Without success the log stays, and is as good.
  (void)store::seal_run(home_, id_, store::viewpoint_here());
  if (const auto timeline = store::read_run(*folder, store::viewpoint_here())) {
    keep_tracked(*folder, *timeline);
  }
}

}  // namespace flatout::app
