#include "trackers/wandb/read_log.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "trackers/json_text.h"
#include "trackers/proto_reader.h"
#include "trackers/wandb/items.h"
#include "trackers/wandb/log_file.h"
#include "trackers/wandb/step_metrics.h"

namespace flatout::trackers::wandb {
namespace {

// Fields of Record.
enum : std::uint32_t {
  kHistory = 2,
  kSummary = 3,
  kConfig = 5,
  kFiles = 6,
  kStats = 7,
  kArtifact = 8,
  kAlert = 10,
  kMetric = 12,
  kOutput = 4,
  kOutputRaw = 13,
  kRun = 17,
  kExit = 18
};

class LogReader {
 public:
  LogReader(ImportSink& sink, const std::filesystem::path& path)
      : sink_(sink), values_(sink), path_(path) {
    head_.source = "wandb";
    head_.id = std::filesystem::absolute(path).string();
  }

  base::Result<void> take(std::string_view record) {
    ProtoReader reader(record);
    while (const auto field = reader.next()) {
      if (auto done = take(*field); !done) return done;
    }
    return {};
  }

  base::Result<void> finish(const LogFile& log) {
    if (!begun_) {
      return base::fail(base::ErrorCode::kCorrupt, path_.string() + " has no record of a run");
    }
    if (auto done = values_.flush(); !done) return done;
    if (log.torn()) sink_.note(path_.string() + " ends in the middle of a record");
    if (log.damaged() > 0) {
      sink_.note(path_.string() + ": " + std::to_string(log.damaged()) +
                 " damaged pieces were left out");
    }
    for (const auto& [what, count] : left_out_) {
      sink_.note(std::to_string(count) + " " + what + " were left out");
    }
    return sink_.end(!exit_code_        ? ImportedEnd::kNotSaid
                     : *exit_code_ == 0 ? ImportedEnd::kFinished
                                        : ImportedEnd::kFailed,
                     exit_code_, last_ns_);
  }

 private:
  base::Result<void> take(const ProtoField& field) {
    if (field.kind != ProtoField::Kind::kBytes) return {};
    if (!begun_ && field.number != kRun) return {};  // the header; a run comes first
    switch (field.number) {
      case kRun:
        return run(field.bytes);
      case kHistory:
        return history(field.bytes);
      case kSummary:
        return summary(field.bytes);
      case kConfig:
        return config(field.bytes);
      case kStats:
        return stats(field.bytes);
      case kMetric:
        return metric(field.bytes);
      case kAlert:
        return alert(field.bytes);
      case kExit:
        exit_code_ = 0;  // proto3 leaves out what is 0
        each_int(field.bytes, 1,
                 [this](std::int64_t code) { exit_code_ = static_cast<int>(code); });
        return {};
      case kFiles:
        ++left_out_["lists of files"];
        return {};
      case kArtifact:
        ++left_out_["artifacts"];
        return {};
      case kOutput:
      case kOutputRaw:
        ++left_out_["lines of output"];
        return {};
      default:
        return {};
    }
  }

  base::Result<void> run(std::string_view message) {
    std::string_view config_message, summary_message;
    head_.tags.clear();
    ProtoReader reader(message);
    while (const auto field = reader.next()) {
      const std::string text(field->text());
      switch (field->number) {
        case 1:
          head_.id = text;
          break;
        case 2:
          head_.entity = text;
          break;
        case 3:
          head_.project = text;
          break;
        case 4:
          config_message = field->text();
          break;
        case 5:
          summary_message = field->text();
          break;
        case 6:
          head_.group = text;
          break;
        case 7:
          head_.job_type = text;
          break;
        case 8:
          head_.name = text;
          break;
        case 9:
          head_.notes = text;
          break;
        case 10:
          head_.tags.push_back(text);
          break;
        case 13:
          head_.host = text;
          break;
        case 17:
          head_.started_wall_ns = ns_of_timestamp(field->text());
          break;
        default:
          break;
      }
    }
    if (head_.name.empty()) head_.name = head_.id;
    if (!begun_) {
      begun_ = true;
      last_ns_ = head_.started_wall_ns;
      if (auto done = sink_.begin(head_); !done) return done;
      if (auto done = hide_system(); !done) return done;
    }
    if (auto done = config(config_message); !done) return done;
    return summary(summary_message);
  }

  // wandb's readings of the machine are no result of the run.
  base::Result<void> hide_system() {
    return sink_.fact("track_metric",
                      text_of({{"name", "system/*"}, {"hidden", true}, {"summary", "none"}}),
                      last_ns_);
  }

  base::Result<void> history(std::string_view message) {
    std::optional<std::int64_t> step;
    std::int64_t at_ns = last_ns_;
    std::vector<Item> items;
    ProtoReader reader(message);
    while (const auto field = reader.next()) {
      if (field->number == 2) each_int(field->text(), 1, [&step](std::int64_t n) { step = n; });
      if (field->number == 1) items.push_back(item_of(field->text()));
    }
    Json logged = Json::object();
    for (const Item& item : items) {
      const std::string_view key = item.path.empty() ? std::string_view() : item.path.front();
      if (key == "_step") {
        if (const auto said = number_of(item.json)) step = static_cast<std::int64_t>(*said);
      } else if (key == "_timestamp") {
        const std::int64_t said = ns_of_seconds(number_of(item.json));
        if (said > 0) at_ns = said;
      } else if (!item.is_internal()) {
        auto value = json_of(item.json);
        if (value) {
          set_item(logged, item, std::move(*value));
        } else {
          ++left_out_["values that are no JSON"];
        }
      }
    }
    if (!step) step = next_step_;  // proto3 leaves out what is 0
    next_step_ = *step + 1;
    last_ns_ = std::max(last_ns_, at_ns);
    return row(logged, *step, at_ns);
  }

  // What one log() held: numbers, and a fact of all else.
  base::Result<void> row(Json& logged, std::int64_t step, std::int64_t at_ns) {
    note_steps(logged);
    std::map<std::int64_t, Json> rest;
    const auto leaf = [&](const std::string& name, Json& value) -> base::Result<void> {
      const std::int64_t at = steps_.step_of(name, step);
      if (const auto number = number_of(text_of(value))) {
        return values_.add({.wall_ns = at_ns, .value = *number, .step = at, .name = name});
      }
      if (auto done = media(value); !done) return done;
      rest.try_emplace(at, Json::object()).first->second[name] = std::move(value);
      return {};
    };
    if (auto done = each_leaf("", logged, leaf); !done) return done;
    for (const auto& [at, data] : rest) {
      auto done = sink_.fact("track_row", text_of({{"step", at}, {"data", data}}), at_ns);
      if (!done) return done;
    }
    return {};
  }

  // What the row says of the metrics that count steps, before any of its values is placed.
  void note_steps(Json& logged) {
    steps_.begin_row();
    if (steps_.empty()) return;
    const auto leaf = [this](const std::string& name, const Json& value) -> base::Result<void> {
      if (value.is_number()) steps_.take(name, value.get<double>());
      return {};
    };
    (void)each_leaf("", logged, leaf);  // never fails
  }

  // {"_type":"image-file","path":"media/images/x.png"}: the file lies beside the log.
  base::Result<void> media(Json& value) {
    if (!is_media(value) || !value.contains("path") || !value["path"].is_string()) return {};
    const std::filesystem::path named = value["path"].get<std::string>();
    const bool inside = named.is_relative() &&
                        std::ranges::none_of(named, [](const auto& part) { return part == ".."; });
    constexpr std::size_t kLargestFile = 64U << 20;
    const auto bytes = inside ? base::read_file(path_.parent_path() / "files" / named, kLargestFile)
                              : base::fail(base::ErrorCode::kInvalid, "");
    if (!bytes) {
      ++left_out_["files of a log()"];
      return {};
    }
    const std::string extension = named.extension().string();
    const auto file = sink_.file(*bytes, extension.empty() ? "bin" : extension.substr(1));
    if (!file) return std::unexpected(file.error());
    if (value["_type"] == "image-file") value["_type"] = "image";
    value["file"] = *file;
    return {};
  }

  Json updates(std::string_view message) {
    Json set = Json::object();
    each_message(message, 1, [&](std::string_view update) {
      const Item item = item_of(update);
      if (item.is_internal()) return;
      if (auto value = json_of(item.json)) set_item(set, item, std::move(*value));
    });
    return set;
  }

  base::Result<void> config(std::string_view message) {
    const Json set = updates(message);
    if (set.empty()) return {};
    return sink_.fact("track_config", text_of({{"set", set}}), last_ns_);
  }

  // Named as the values are.
  base::Result<void> summary(std::string_view message) {
    Json nested = updates(message), set = Json::object();
    const auto leaf = [&set](const std::string& name, Json& value) -> base::Result<void> {
      if (!name.empty()) set[name] = std::move(value);
      return {};
    };
    if (auto done = each_leaf("", nested, leaf); !done) return done;
    if (set.empty()) return {};
    return sink_.fact("track_summary", text_of({{"set", set}}), last_ns_);
  }

  base::Result<void> stats(std::string_view message) {
    std::int64_t at_ns = last_ns_;
    each_message(message, 2, [&](std::string_view time) {
      if (const std::int64_t said = ns_of_timestamp(time); said > 0) at_ns = said;
    });
    base::Result<void> done;
    each_message(message, 3, [&](std::string_view text) {
      const Item item = item_of(text);
      const auto number = number_of(item.json);
      if (!done || !number || item.is_internal()) return;
      done = values_.add(
          {.wall_ns = at_ns, .value = *number, .step = {}, .name = "system/" + item.path.front()});
    });
    return done;
  }

  base::Result<void> metric(std::string_view message) {
    Json out = Json::object();
    std::string summary;
    ProtoReader reader(message);
    while (const auto field = reader.next()) {
      if (field->number == 1 || field->number == 2) out["name"] = std::string(field->text());
      if (field->number == 4) out["step_metric"] = std::string(field->text());
      if (field->number == 6) {
        each_int(field->text(), 1, [&](std::int64_t on) { out["step_sync"] = on != 0; });
        each_int(field->text(), 2, [&](std::int64_t on) { out["hidden"] = on != 0; });
      }
      if (field->number == 7) {
        constexpr const char* kRules[] = {"min", "max", "mean", "best", "last", "none"};
        for (std::uint32_t i = 0; i < 6; ++i) {
          each_int(field->text(), i + 1, [&](std::int64_t on) {
            if (on != 0) summary += (summary.empty() ? "" : ",") + std::string(kRules[i]);
          });
        }
      }
      if (field->number == 8) out["goal"] = field->as_int() == 1 ? "minimize" : "maximize";
    }
    if (!summary.empty()) out["summary"] = summary;
    if (!out.contains("name")) return {};
    steps_.define(out["name"], out.value("step_metric", ""), out.value("step_sync", false));
    return sink_.fact("track_metric", text_of(out), last_ns_);
  }

  base::Result<void> alert(std::string_view message) {
    Json out = Json::object();
    ProtoReader reader(message);
    while (const auto field = reader.next()) {
      if (field->number == 1) out["title"] = std::string(field->text());
      if (field->number == 2) out["text"] = std::string(field->text());
      if (field->number == 3) out["level"] = std::string(field->text());
    }
    return sink_.fact("track_alert", text_of(out), last_ns_);
  }

  ImportSink& sink_;
  ValueBatch values_;
  StepMetrics steps_;
  std::filesystem::path path_;
  ImportedHead head_;
  bool begun_ = false;
  std::int64_t last_ns_ = 0;
  std::int64_t next_step_ = 0;
  std::optional<int> exit_code_;
  std::map<std::string, std::int64_t> left_out_;
};

}  // namespace

base::Result<void> read_log(const std::filesystem::path& path, ImportSink& sink) {
  auto log = LogFile::open(path);
  if (!log) return std::unexpected(log.error());
  LogReader reader(sink, path);
  for (;;) {
    const auto record = log->next();
    if (!record) return std::unexpected(record.error());
    if (!*record) break;
    if (auto done = reader.take(**record); !done) return done;
  }
  return reader.finish(*log);
}

}  // namespace flatout::trackers::wandb
