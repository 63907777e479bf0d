#include "trackers/neptune/read_run.h"

#include <algorithm>
#include <map>

#include "base/file.h"
#include "trackers/json_text.h"
#include "trackers/neptune/export_folder.h"
#include "trackers/neptune/frames.h"
#include "trackers/neptune/run_head.h"

namespace flatout::trackers::neptune {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMillion = 1'000'000;
constexpr std::size_t kLargestFile = 64U << 20;
constexpr std::size_t kLargestConsole = 16U << 20;
constexpr std::size_t kFieldsOfAFact = 256;
constexpr std::size_t kDeepestPath = 32;
constexpr std::int64_t kMostTexts = 10'000;  // rows of one series that is no number's

std::int64_t ns_of(std::int64_t ms) { return ms > 0 && ms < 9'000'000'000'000 ? ms * kMillion : 0; }

// What a process wrote to its streams is one text, not a row a line.
bool is_console(std::string_view path) {
  return (path.starts_with("monitoring/") || path.starts_with("runtime/")) &&
         (path.ends_with("stdout") || path.ends_with("stderr") || path.ends_with("traceback"));
}

bool is_picture(std::string_view extension) {
  return extension == "png" || extension == "jpg" || extension == "jpeg" || extension == "gif" ||
         extension == "webp";
}

struct Row {
  std::string path;
  std::string type;
  std::optional<std::int64_t> step;
  std::int64_t at_ns = 0;
  Json value;
};

std::optional<Row> row_of(std::string_view payload) {
  auto said = json_of(payload);
  if (!said || !said->is_object()) return std::nullopt;
  const auto text = [&said](const char* key) {
    const auto at = said->find(key);
    return at != said->end() && at->is_string() ? at->get<std::string>() : std::string();
  };
  const auto whole = [&said](const char* key) -> std::optional<std::int64_t> {
    const auto at = said->find(key);
    if (at == said->end() || !at->is_number_integer()) return std::nullopt;
    return at->get<std::int64_t>();
  };
  Row row{
      .path = text("path"), .type = text("type"), .step = whole("step"), .at_ns = 0, .value = {}};
  row.at_ns = ns_of(whole("ms").value_or(0));
  const auto value = said->find("value");
  if (row.path.empty() || value == said->end()) return std::nullopt;
  row.value = std::move(*value);
  return row;
}

class RunReader {
 public:
  RunReader(ImportSink& sink, fs::path files)
      : sink_(sink), values_(sink), files_(std::move(files)) {}

  base::Result<void> read(Frames& frames, bool& through) {
    for (;;) {
      auto frame = frames.next();
      if (!frame) return std::unexpected(frame.error());
      if (frame->kind == 'E') {
        through = true;
        return end(frame->payload);
      }
      if (auto done = take(*frame); !done) return done;
    }
  }

 private:
  base::Result<void> take(const Frame& frame) {
    if (frame.kind == 'N') {
      const auto said = json_of(frame.payload);
      if (said && said->is_string()) sink_.note(said->get<std::string>());
      return {};
    }
    if (frame.kind == 'H' && !run_) return begin(frame.payload);
    if (frame.kind == 'V' && run_) {
      return each_number(frame.payload, [this](const NumberRow& row) { return number(row); });
    }
    if (frame.kind == 'R' && run_) {
      auto row = row_of(frame.payload);
      return row ? this->row(std::move(*row)) : base::Result<void>{};
    }
    return base::fail(base::ErrorCode::kCorrupt,
                      "the reader of its Parquet files said what is out "
                      "of order");
  }

  base::Result<void> begin(std::string_view payload) {
    const auto said = json_of(payload);
    run_ = said ? run_head(*said) : std::nullopt;
    if (!run_) return base::fail(base::ErrorCode::kCorrupt, "its Parquet files name no run");
    last_ns_ = std::max(run_->head.started_wall_ns, run_->last_ns);
    if (auto done = sink_.begin(run_->head); !done) return done;
    for (const auto& [path, digits] : run_->scale) {
      sink_.note("the steps of " + path + " are not whole: they are stored times " +
                 std::to_string(power(digits)));
    }
    // Readings of the machine are no result of the run.
    return sink_.fact("track_metric",
                      text_of({{"name", "monitoring/*"}, {"hidden", true}, {"summary", "none"}}),
                      run_->head.started_wall_ns);
  }

  static std::int64_t power(int digits) {
    std::int64_t out = 1;
    for (int i = 0; i < digits; ++i) out *= 10;
    return out;
  }

  int digits_of(std::string_view name) {
    if (run_->scale.empty()) return 0;
    const auto at = run_->scale.find(name);
    return at == run_->scale.end() ? 0 : at->second;
  }

  base::Result<void> number(const NumberRow& row) {
    ImportedValue value{.wall_ns = row.ms == kNone ? 0 : ns_of(row.ms),
                        .value = row.value,
                        .step = std::nullopt,
                        .name = std::string(row.name)};
    if (row.step_millionths != kNone) {
      value.step = row.step_millionths / (kMillion / power(digits_of(row.name)));
    }
    last_ns_ = std::max(last_ns_, value.wall_ns);
    return values_.add(std::move(value));
  }

  base::Result<void> row(Row row) {
    last_ns_ = std::max(last_ns_, row.at_ns);
    if (row.type == "string_series" && is_console(row.path)) return console(row);
    if (row.type == "string_series" || row.type == "histogram_series")
      return series(std::move(row));
    if (row.type == "file" || row.type == "file_series" || row.type == "file_set" ||
        row.type == "artifact") {
      return file(row);
    }
    return field(std::move(row));
  }

  // Of a parameter: gathered, since a run may have hundreds of thousands.
  base::Result<void> field(Row row) {
    const bool setting = is_setting(row.path);
    Json& into = setting ? config_ : summary_;
    const auto depth = static_cast<std::size_t>(std::ranges::count(row.path, '/'));
    if (setting && depth < kDeepestPath) {
      set_at(into, row.path, '/', std::move(row.value));
    } else {
      into[row.path] = std::move(row.value);
    }
    return ++fields_ < kFieldsOfAFact ? base::Result<void>{} : fields();
  }

  base::Result<void> fields() {
    fields_ = 0;
    for (const auto& [key, set] :
         {std::pair{"track_config", &config_}, {"track_summary", &summary_}}) {
      if (set->empty()) continue;
      if (auto done = sink_.fact(key, text_of({{"set", *set}}), run_->head.started_wall_ns);
          !done) {
        return done;
      }
      *set = Json::object();
    }
    return {};
  }

  // Steps of rows are whole.
  base::Result<void> logged(const Row& row, Json value) {
    Json out = {{"data", {{row.path, std::move(value)}}}};
    if (row.step) out["step"] = *row.step / kMillion;
    return sink_.fact("track_row", text_of(out), row.at_ns > 0 ? row.at_ns : last_ns_);
  }

  base::Result<void> series(Row row) {
    if (++texts_[row.path] > kMostTexts) {
      ++left_out_["rows of series of more than " + std::to_string(kMostTexts) +
                  " that are no numbers"];
      return {};
    }
    if (row.type == "string_series") return logged(row, std::move(row.value));
    if (!row.value.is_object() || !row.value.contains("edges") || !row.value.contains("values")) {
      return {};
    }
    return logged(
        row,
        {{"_type", "histogram"}, {"bins", row.value["edges"]}, {"values", row.value["values"]}});
  }

  base::Result<void> console(const Row& row) {
    if (!row.value.is_string()) return {};
    const std::string line = row.value.get<std::string>();
    if (console_bytes_ + line.size() + 1 > kLargestConsole) {
      ++left_out_["lines of output beyond " + std::to_string(kLargestConsole >> 20) + " MiB"];
      return {};
    }
    console_bytes_ += line.size() + 1;
    std::string& text = consoles_[row.path];
    text += line;
    if (!line.ends_with('\n')) text += '\n';
    return {};
  }

  base::Result<void> file(const Row& row) {
    const auto found = row.value.is_string() ? named_files(files_, row.value.get<std::string>())
                                             : base::fail(base::ErrorCode::kNotFound, "");
    if (!found) {
      ++left_out_[files_.empty() ? "files, of which no folder lies beside the data,"
                                 : "files that are not in " + files_.string()];
      return {};
    }
    const bool one = found->size() == 1;
    for (const fs::path& path : *found) {
      const auto bytes = base::read_file(path, kLargestFile);
      if (!bytes) {
        ++left_out_[bytes.error().code == base::ErrorCode::kTooLarge
                        ? "files of more than " + std::to_string(kLargestFile >> 20) + " MiB"
                        : "files that cannot be read"];
        continue;
      }
      const std::string extension = extension_of(path, *bytes);
      const auto kept = sink_.file(*bytes, extension);
      if (!kept) return std::unexpected(kept.error());
      const std::string name = one ? row.path : row.path + "/" + path.filename().string();
      if (auto done = said_file(row, name, *kept, bytes->size(), is_picture(extension)); !done) {
        return done;
      }
    }
    return {};
  }

  base::Result<void> said_file(const Row& row, const std::string& name, const std::string& kept,
                               std::size_t bytes, bool picture) {
    if (row.type == "file_series") {
      return logged(row, {{"_type", picture ? "image" : "file"}, {"file", kept}, {"bytes", bytes}});
    }
    const char* kind = row.type == "artifact" ? "artifact" : picture ? "media" : "file";
    return sink_.fact("track_file",
                      text_of({{"path", name}, {"file", kept}, {"bytes", bytes}, {"kind", kind}}),
                      run_->head.started_wall_ns);
  }

  base::Result<void> end(std::string_view why) {
    const auto said = json_of(why);
    if (said && said->is_string()) {
      return base::fail(base::ErrorCode::kCorrupt, said->get<std::string>());
    }
    if (!run_) return base::fail(base::ErrorCode::kCorrupt, "its Parquet files hold no run");
    if (auto done = values_.flush(); !done) return done;
    if (auto done = fields(); !done) return done;
    for (const auto& [path, text] : consoles_) {
      const auto kept = sink_.file(text, "txt");
      if (!kept) return std::unexpected(kept.error());
      const Row row{.path = path, .type = "file", .step = {}, .at_ns = 0, .value = {}};
      if (auto done = said_file(row, path + ".txt", *kept, text.size(), false); !done) return done;
    }
    for (const auto& [what, count] : left_out_) {
      sink_.note(std::to_string(count) + " " + what + " were left out");
    }
    if (run_->was_running) sink_.note("it was still running when it was exported");
    return sink_.end(run_->how, std::nullopt, last_ns_);
  }

  ImportSink& sink_;
  ValueBatch values_;
  fs::path files_;
  std::optional<RunHead> run_;
  Json config_ = Json::object();
  Json summary_ = Json::object();
  std::size_t fields_ = 0;
  std::map<std::string, std::int64_t> texts_;
  std::map<std::string, std::string> consoles_;
  std::size_t console_bytes_ = 0;
  std::int64_t last_ns_ = 0;
  std::map<std::string, std::int64_t> left_out_;
};

}  // namespace

base::Result<void> read_run(const std::vector<fs::path>& files, ParquetRows& rows,
                            ImportSink& sink) {
  if (files.empty()) return base::fail(base::ErrorCode::kInvalid, "it has no files");
  const fs::path& first = files.front();
  const auto name = part_name(first.filename().string());
  if (!name || name->part != 0) {
    return base::fail(base::ErrorCode::kCorrupt,
                      first.string() +
                          " is there without part 0, which the exporter names last: "
                          "its export did not end; run neptune-exporter once more");
  }
  if (files.size() > 1) {
    const auto last = part_name(files.back().filename().string());
    if (last && last->part + 1 != static_cast<int>(files.size())) {
      sink.note(first.string() + ": of its " + std::to_string(last->part + 1) + " parts only " +
                std::to_string(files.size()) + " are there");
    }
  }
  if (auto done = rows.ask(files); !done) return done;
  Frames frames(rows);
  RunReader reader(sink, files_folder(first));
  bool through = false;
  auto done = reader.read(frames, through);
  if (through) rows.done();
  if (!done && done.error().code == base::ErrorCode::kCorrupt) {
    return base::fail(done.error().code,
                      first.string() + " cannot be read: " + done.error().message);
  }
  return done;
}

}  // namespace flatout::trackers::neptune
