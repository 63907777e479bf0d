#include "trackers/mlflow/read_run.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>

#include "base/file.h"
#include "trackers/input_file.h"
#include "trackers/json_text.h"
#include "trackers/mlflow/run_words.h"

namespace flatout::trackers::mlflow {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestText = 1U << 20;
constexpr std::size_t kLongestLine = 4096;
constexpr std::size_t kMostFiles = 100'000;

// YAML as MLflow writes it: a key and a scalar a line.
std::map<std::string, std::string> yaml_of(std::string_view text) {
  std::map<std::string, std::string> out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const std::size_t colon = line.find(": ");
    if (colon == std::string_view::npos || line.starts_with(' ')) continue;
    std::string_view value = line.substr(colon + 2);
    while (value.ends_with('\r') || value.ends_with(' ')) value.remove_suffix(1);
    const bool quoted = value.size() >= 2 && (value.front() == '\'' || value.front() == '"') &&
                        value.back() == value.front();
    if (quoted) value = value.substr(1, value.size() - 2);
    if (!quoted && value == "null") value = {};
    out[std::string(line.substr(0, colon))] = value;
  }
  return out;
}

std::optional<std::int64_t> whole(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Regular files below `folder`, with their names relative to it, in order; symbolic links are none.
std::vector<std::string> files_below(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    std::error_code ignored;
    if (at->is_symlink(ignored) || !at->is_regular_file(ignored)) continue;
    names.push_back(fs::path(at->path()).lexically_relative(folder).string());
    if (names.size() == kMostFiles) break;
  }
  std::ranges::sort(names);
  return names;
}

// take(line) with each line of at most kLongestLine bytes; longer ones count as false.
base::Result<std::int64_t> each_line(const fs::path& path,
                                     const std::function<bool(std::string_view)>& take) {
  auto file = InputFile::open(path);
  if (!file) return std::unexpected(file.error());
  std::int64_t bad = 0;
  std::string line;
  bool too_long = false;
  const auto ends = [&] {
    if (too_long || (!line.empty() && !take(line))) ++bad;
    line.clear();
    too_long = false;
  };
  char buffer[4096];
  for (;;) {
    const auto got = file->read(buffer);
    if (!got) return std::unexpected(got.error());
    if (*got == 0) break;
    for (const char c : std::string_view(buffer, *got)) {
      if (c == '\n') {
        ends();
      } else if (line.size() < kLongestLine) {
        line += c;
      } else {
        too_long = true;
      }
    }
  }
  if (!line.empty() || too_long) ends();
  return bad;
}

class RunReader {
 public:
  RunReader(ImportSink& sink, fs::path folder)
      : sink_(sink), values_(sink), folder_(std::move(folder)) {}

  base::Result<void> read(const std::string& experiment) {
    const auto meta = base::read_file(folder_ / "meta.yaml", kLargestText);
    if (!meta) return std::unexpected(meta.error());
    const auto yaml = yaml_of(*meta);
    const auto said = [&yaml](const char* key) {
      const auto at = yaml.find(key);
      return at == yaml.end() ? std::string() : at->second;
    };
    ImportedHead head;
    head.source = "mlflow";
    head.id = said("run_id").empty() ? said("run_uuid") : said("run_id");
    if (head.id.empty()) {
      return base::fail(base::ErrorCode::kCorrupt,
                        (folder_ / "meta.yaml").string() + " has no run_id");
    }
    head.project = experiment;
    head.name = said("run_name");
    head.started_wall_ns = ns_of_ms(whole(said("start_time")).value_or(0));
    take_tags(head);
    if (head.name.empty()) head.name = head.id;
    last_ns_ = head.started_wall_ns;
    if (auto done = sink_.begin(head); !done) return done;
    if (auto done = params(); !done) return done;
    if (auto done = metrics(); !done) return done;
    note_artifacts((folder_ / "artifacts").string(), sink_);
    return sink_.end(end_of(said("status")), std::nullopt,
                     std::max(last_ns_, ns_of_ms(whole(said("end_time")).value_or(0))));
  }

 private:
  std::string text_in(const fs::path& path) const {
    auto text = base::read_file(path, kLargestText);
    return text ? *text : std::string();
  }

  void take_tags(ImportedHead& head) {
    for (const std::string& name : files_below(folder_ / "tags")) {
      take_tag(name, text_in(folder_ / "tags" / name), head);
    }
  }

  base::Result<void> params() {
    Json set = Json::object();
    for (const std::string& name : files_below(folder_ / "params")) {
      set[name] = param_value(text_in(folder_ / "params" / name));
    }
    if (set.empty()) return {};
    return sink_.fact("track_config", text_of({{"set", set}}), last_ns_);
  }

  base::Result<void> metrics() {
    for (const std::string& name : files_below(folder_ / "metrics")) {
      base::Result<void> done;
      const auto bad = each_line(folder_ / "metrics" / name, [&](std::string_view line) {
        auto value = value_of(line, name);
        if (!value) return false;
        last_ns_ = std::max(last_ns_, value->wall_ns);
        if (done) done = values_.add(std::move(*value));
        return true;
      });
      if (!done) return done;
      if (!bad) {
        sink_.note(bad.error().message);
      } else if (*bad > 0) {
        sink_.note((folder_ / "metrics" / name).string() + ": " + std::to_string(*bad) +
                   " lines are not \"time value step\"");
      }
    }
    return values_.flush();
  }

  // "1700000000000 0.25 7"; the step came later to the format.
  static std::optional<ImportedValue> value_of(std::string_view line, const std::string& name) {
    const auto word = [&line] {
      while (line.starts_with(' ')) line.remove_prefix(1);
      const std::string_view found = line.substr(0, line.find_first_of(" \r"));
      line.remove_prefix(found.size());
      return found;
    };
    const auto ms = whole(word());
    const auto value = number_of(word());
    const auto step = whole(word());
    if (!ms || !value) return std::nullopt;
    return ImportedValue{.wall_ns = ns_of_ms(*ms), .value = *value, .step = step, .name = name};
  }

  ImportSink& sink_;
  ValueBatch values_;
  fs::path folder_;
  std::int64_t last_ns_ = 0;
};

}  // namespace

base::Result<void> read_run(const fs::path& folder, const std::string& experiment,
                            ImportSink& sink) {
  return RunReader(sink, folder).read(experiment);
}

std::string experiment_name(const fs::path& folder) {
  const auto meta = base::read_file(folder / "meta.yaml", kLargestText);
  if (!meta) return "";
  const auto yaml = yaml_of(*meta);
  const auto name = yaml.find("name");
  return name == yaml.end() ? "" : name->second;
}

}  // namespace flatout::trackers::mlflow
