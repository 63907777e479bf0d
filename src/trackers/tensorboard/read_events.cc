#include "trackers/tensorboard/read_events.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "trackers/tensorboard/event.h"
#include "trackers/tensorboard/record_file.h"

namespace flatout::trackers::tensorboard {
namespace {

// 2262; before 1970 no event was written.
constexpr double kLatestS = 9e9;

std::int64_t wall_ns(double seconds) {
  if (!(seconds > 0) || seconds > kLatestS) return 0;
  return std::llround(seconds * 1e9);
}

// TensorBoard's files say their host: events.out.tfevents.1700000000.myhost.1234.0
std::string host_of(const std::string& file_name) {
  constexpr std::string_view kMark = "tfevents.";
  const std::size_t at = file_name.find(kMark);
  if (at == std::string::npos) return "";
  const std::size_t from = file_name.find('.', at + kMark.size());
  if (from == std::string::npos) return "";
  return file_name.substr(from + 1, file_name.find('.', from + 1) - from - 1);
}

class EventReader {
 public:
  EventReader(ImportSink& sink, ImportedHead head)
      : sink_(sink), head_(std::move(head)), values_(sink) {}

  base::Result<void> read(const std::filesystem::path& path) {
    auto file = RecordFile::open(path);
    if (!file) return std::unexpected(file.error());
    for (;;) {
      const auto record = file->next();
      if (!record) return damaged(record.error());
      if (!*record) break;
      const auto event = event_of(**record);
      if (!event) return damaged({base::ErrorCode::kCorrupt, path.string() + " has no events"});
      if (auto done = take(*event); !done) return done;
    }
    if (file->torn()) sink_.note(path.string() + " ends in the middle of an event");
    return {};
  }

  base::Result<void> finish() {
    if (!begun_) {
      return base::fail(base::ErrorCode::kCorrupt, head_.id + " has no event that could be read");
    }
    if (auto done = values_.flush(); !done) return done;
    for (const auto& [plugin, count] : left_out_) {
      sink_.note(std::to_string(count) + " values of " + plugin + " were left out");
    }
    return sink_.end(ImportedEnd::kNotSaid, std::nullopt, last_ns_);
  }

 private:
  // What was read before is kept.
  base::Result<void> damaged(const base::Error& error) {
    if (!begun_) return std::unexpected(error);
    sink_.note(error.message + "; what was before is kept");
    return {};
  }

  base::Result<void> take(const Event& event) {
    const std::int64_t at_ns = wall_ns(event.wall_s);
    if (!begun_) {
      begun_ = true;
      head_.started_wall_ns = at_ns;
      if (auto done = sink_.begin(head_); !done) return done;
    }
    last_ns_ = std::max(last_ns_, at_ns);
    for (const SummaryValue& value : event.values) {
      if (auto done = take(value, event.step, at_ns); !done) return done;
    }
    return {};
  }

  base::Result<void> take(const SummaryValue& value, std::int64_t step, std::int64_t at_ns) {
    if (value.plugin == "hparams") return hparams(value, at_ns);
    const std::string name(value.tag);
    if (value.number) {
      return values_.add({.wall_ns = at_ns, .value = *value.number, .step = step, .name = name});
    }
    if (!value.image.empty()) return picture(name, value.image, step, at_ns);
    if (value.histogram) return row(name, histogram(*value.histogram), step, at_ns);
    if (!value.texts.empty()) {
      Json said = Json::array();
      for (const std::string_view text : value.texts) said.push_back(std::string(text));
      return row(name, said.size() == 1 ? said.front() : said, step, at_ns);
    }
    ++left_out_[value.plugin.empty() ? "an unknown kind" : std::string(value.plugin)];
    return {};
  }

  base::Result<void> hparams(const SummaryValue& value, std::int64_t at_ns) {
    const auto config = hparams_of(value.plugin_data);
    if (!config) return {};
    return sink_.fact("track_config", text_of({{"set", *config}}), at_ns);
  }

  base::Result<void> picture(const std::string& name, std::string_view bytes, std::int64_t step,
                             std::int64_t at_ns) {
    const bool png = bytes.starts_with("\x89PNG");
    const bool jpeg = bytes.starts_with("\xff\xd8");
    if (!png && !jpeg) {
      ++left_out_["pictures of another kind"];
      return {};
    }
    const auto file = sink_.file(bytes, png ? "png" : "jpg");
    if (!file) return std::unexpected(file.error());
    return row(name, {{"_type", "image"}, {"file", *file}}, step, at_ns);
  }

  static Json histogram(const Histogram& histogram) {
    Json bins = Json::array(), counts = Json::array();
    for (const double limit : histogram.limits) {
      bins.push_back(std::isfinite(limit) ? Json(limit) : Json());
    }
    for (const double count : histogram.counts) counts.push_back(count);
    return {{"_type", "histogram"}, {"limits", bins}, {"counts", counts}};
  }

  base::Result<void> row(const std::string& name, Json said, std::int64_t step,
                         std::int64_t at_ns) {
    Json data = Json::object();
    data[name] = std::move(said);
    return sink_.fact("track_row", text_of({{"step", step}, {"data", data}}), at_ns);
  }

  ImportSink& sink_;
  ImportedHead head_;
  ValueBatch values_;
  bool begun_ = false;
  std::int64_t last_ns_ = 0;
  std::map<std::string, std::int64_t> left_out_;
};

}  // namespace

bool is_event_file(std::string_view file_name) { return file_name.contains("tfevents"); }

base::Result<void> read_events(const std::vector<std::filesystem::path>& files,
                               const std::string& name, ImportSink& sink) {
  ImportedHead head;
  head.source = "tensorboard";
  if (!files.empty()) head.id = std::filesystem::absolute(files.front().parent_path()).string();
  head.name = name;
  if (!files.empty()) head.host = host_of(files.front().filename().string());
  EventReader reader(sink, std::move(head));
  for (const auto& file : files) {
    if (auto done = reader.read(file); !done) return done;
  }
  return reader.finish();
}

}  // namespace flatout::trackers::tensorboard
