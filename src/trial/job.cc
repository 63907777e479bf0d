#include "trial/job.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace flatout::trial {
namespace {

using base::ErrorCode;
using base::Result;
using Json = nlohmann::ordered_json;

constexpr const char* kJobSchema = "flatout.trial/1";
constexpr const char* kResultSchema = "flatout.trial_result/1";

std::string dumped(const Json& json) {
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

// What a reader of one document found, the first problem first.
class Reader {
 public:
  explicit Reader(const Json& json) : json_(json) {}

  template <typename T>
  T value(const char* key, bool (Json::*is)() const noexcept) {
    const auto found = json_.find(key);
    if (found != json_.end() && ((*found).*is)()) return found->get<T>();
    complain(key);
    return T{};
  }
  std::string text(const char* key) {
    auto out = value<std::string>(key, &Json::is_string);
    if (out.find('\0') != std::string::npos) complain(key);
    return out;
  }
  bool flag(const char* key) { return value<bool>(key, &Json::is_boolean); }
  std::int64_t count(const char* key, std::int64_t least) {
    const auto found = json_.find(key);
    // An unsigned number beyond it would wrap.
    const bool whole = found != json_.end() && found->is_number_integer() &&
                       (!found->is_number_unsigned() ||
                        found->get<std::uint64_t>() <= static_cast<std::uint64_t>(INT64_MAX));
    if (whole && found->get<std::int64_t>() >= least) return found->get<std::int64_t>();
    complain(key);
    return least;
  }
  std::vector<std::string> texts(const char* key) {
    std::vector<std::string> out;
    const auto found = json_.find(key);
    if (found == json_.end() || !found->is_array()) {
      complain(key);
      return out;
    }
    for (const auto& item : *found) {
      const bool sane = item.is_string() && item.get<std::string>().find('\0') == std::string::npos;
      if (!sane) complain(key);
      if (sane) out.push_back(item.get<std::string>());
    }
    return out;
  }
  // Lists of `size` texts, the first of them not empty: [["NAME", "value"], ...]
  std::vector<std::vector<std::string>> rows(const char* key, std::size_t size) {
    std::vector<std::vector<std::string>> out;
    const auto found = json_.find(key);
    if (found == json_.end() || !found->is_array()) {
      complain(key);
      return out;
    }
    for (const auto& item : *found) {
      const bool sane =
          item.is_array() && item.size() == size &&
          std::ranges::all_of(item,
                              [](const Json& word) {
                                return word.is_string() &&
                                       word.get<std::string>().find('\0') == std::string::npos;
                              }) &&
          !item[0].get<std::string>().empty();
      if (sane) out.push_back(item.get<std::vector<std::string>>());
      if (!sane) complain(key);
    }
    return out;
  }

  void complain(const char* key) {
    if (problem_.empty()) problem_ = key;
  }
  const std::string& problem() const { return problem_; }

 private:
  const Json& json_;
  std::string problem_;
};

Result<Json> document(std::string_view text, const char* schema) {
  if (text.size() > kMaxTrialJobBytes) {
    return base::fail(ErrorCode::kTooLarge, "it has more than 4 MiB");
  }
  auto json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return base::fail(ErrorCode::kInvalid, "it is no JSON object");
  const auto said = json.find("schema");
  if (said == json.end() || *said != schema) {
    return base::fail(ErrorCode::kInvalid, std::string("it is no ") + schema);
  }
  return json;
}

std::unexpected<base::Error> wrong(const std::string& key) {
  return base::fail(ErrorCode::kInvalid, "its '" + key + "' is missing or makes no sense");
}

bool variable_name(const std::string& name) { return name.find('=') == std::string::npos; }

}  // namespace

std::filesystem::path control_file(const std::filesystem::path& output) {
  return output.string() + ".control";
}

std::string trial_job_text(const TrialJob& job) {
  Json out = Json::object();
  out["schema"] = kJobSchema;
  out["home"] = job.home;
  out["directory"] = job.directory.string();
  out["output"] = job.output.string();
  out["command"] = job.command;
  out["environment"] = Json::array();
  for (const auto& [name, value] : job.environment) out["environment"].push_back({name, value});
  out["knobs"] = Json::array();
  for (const auto& knob : job.knobs) {
    out["knobs"].push_back({knob.knob, knob.value, knob.pattern});
  }
  out["steps"] = job.steps;
  out["timeout_ns"] = job.timeout_ns;
  out["seed_shift"] = job.seed_shift;
  if (job.data_limit_bytes) out["data_limit_bytes"] = *job.data_limit_bytes;
  out["name"] = job.name;
  if (job.parent) out["parent"] = *job.parent;
  if (!job.capture.empty()) out["capture"] = job.capture;
  out["in_place"] = job.in_place;
  out["unbuffered"] = job.unbuffered;
  out["driven"] = job.driven;
  out["argv"] = job.argv;
  out["file_cache"] = file_cache_name(job.file_cache);
  out["probe"] = job.probe;
  return dumped(out);
}

Result<TrialJob> parse_trial_job(std::string_view text) {
  const auto json = document(text, kJobSchema);
  if (!json) return std::unexpected(json.error());
  Reader read(*json);
  TrialJob job;
  job.home = read.text("home");
  job.directory = read.text("directory");
  job.output = read.text("output");
  job.command = read.texts("command");
  for (const auto& row : read.rows("environment", 2)) job.environment.emplace_back(row[0], row[1]);
  for (const auto& row : read.rows("knobs", 3)) job.knobs.push_back({row[0], row[1], row[2]});
  job.steps = static_cast<std::uint64_t>(read.count("steps", 1));
  job.timeout_ns = read.count("timeout_ns", 1);
  job.seed_shift = static_cast<std::uint64_t>(read.count("seed_shift", 0));
  if (json->contains("data_limit_bytes")) job.data_limit_bytes = read.count("data_limit_bytes", 0);
  job.name = read.text("name");
  if (json->contains("parent")) job.parent = read.text("parent");
  if (json->contains("capture")) job.capture = read.texts("capture");
  job.in_place = read.flag("in_place");
  job.unbuffered = read.flag("unbuffered");
  job.driven = read.flag("driven");
  job.argv = read.flag("argv");
  const auto cache = file_cache_of(read.text("file_cache"));
  if (!cache) read.complain("file_cache");
  job.file_cache = cache.value_or(FileCache::kWarm);
  job.probe = read.flag("probe");
  if (job.command.empty()) read.complain("command");
  if (!job.directory.is_absolute()) read.complain("directory");
  if (!job.output.is_absolute()) read.complain("output");
  if (!job.home.starts_with('/')) read.complain("home");
  for (const auto& [name, value] : job.environment) {
    if (!variable_name(name)) read.complain("environment");
  }
  if (!read.problem().empty()) return wrong(read.problem());
  return job;
}

bool was_recorded(const TrialJobResult& result) {
  return !result.run.empty() && (!result.ended.empty() || result.trouble.empty());
}

std::string trial_result_text(const TrialJobResult& result) {
  Json out = Json::object();
  out["schema"] = kResultSchema;
  out["run"] = result.run;
  out["ended"] = result.ended;
  out["files"] = result.files;
  out["trouble"] = result.trouble;
  out["place"] = result.place;
  out["notes"] = result.notes;
  out["written"] = result.written;
  out["written_beyond"] = result.written_beyond;
  out["lasting"] = result.lasting;
  return dumped(out);
}

Result<TrialJobResult> parse_trial_result(std::string_view text) {
  const auto json = document(text, kResultSchema);
  if (!json) return std::unexpected(json.error());
  Reader read(*json);
  TrialJobResult result;
  result.run = read.text("run");
  result.ended = read.text("ended");
  result.files = read.text("files");
  result.trouble = read.text("trouble");
  result.place = read.text("place");
  result.notes = read.texts("notes");
  result.written = read.texts("written");
  result.written_beyond = read.texts("written_beyond");
  result.lasting = read.texts("lasting");
  if (!read.problem().empty()) return wrong(read.problem());
  return result;
}

std::filesystem::path result_file(const std::filesystem::path& job_file) {
  return job_file.string() + ".result";
}

}  // namespace flatout::trial
