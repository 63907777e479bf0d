#include "apply/journal.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

namespace flatout::apply {
namespace {

using Json = nlohmann::ordered_json;
using base::ErrorCode;

constexpr const char* kTuneSchema = "flatout.tune-journal/1";
constexpr const char* kSearchSchema = "flatout.search-journal/1";
constexpr std::size_t kMostId = 64;
constexpr auto kNoThrow = false;

std::string one_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

const Json* find(const Json& in, const char* key) {
  const auto found = in.find(key);
  return found == in.end() ? nullptr : &*found;
}

// Absent is `otherwise`; another type is nothing.
std::optional<std::uint64_t> number_at(const Json& in, const char* key, std::uint64_t otherwise) {
  const Json* value = find(in, key);
  if (value == nullptr) return otherwise;
  if (!value->is_number_unsigned()) return std::nullopt;
  return value->get<std::uint64_t>();
}

std::optional<std::string> text_at(const Json& in, const char* key) {
  const Json* value = find(in, key);
  if (value == nullptr) return "";
  if (!value->is_string()) return std::nullopt;
  return value->get<std::string>();
}

// JSON knows no nan and no infinity: these are texts, as printed_losses() reads them.
Json loss_json(double loss) {
  if (std::isfinite(loss)) return loss;
  return std::isnan(loss) ? "nan" : loss > 0 ? "inf" : "-inf";
}

std::optional<double> loss_of(const Json& value) {
  if (value.is_number()) return value.get<double>();
  if (value == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (value == "inf") return std::numeric_limits<double>::infinity();
  if (value == "-inf") return -std::numeric_limits<double>::infinity();
  return std::nullopt;
}

// False where they are no list of losses.
bool take_losses(const Json& line, std::optional<std::vector<double>>& out) {
  const Json* losses = find(line, "losses");
  if (losses == nullptr) return true;
  if (!losses->is_array() || losses->size() > kMostJournalLosses) return false;
  out.emplace();
  for (const Json& value : *losses) {
    const auto loss = loss_of(value);
    if (!loss) return false;
    out->push_back(*loss);
  }
  return true;
}

// It becomes the name of a folder.
bool is_id(const std::string& text) {
  return !text.empty() && text.size() <= kMostId && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  });
}

std::optional<std::map<std::string, std::string>> texts_at(const Json& in, const char* key) {
  std::map<std::string, std::string> out;
  const Json* value = find(in, key);
  if (value == nullptr) return out;
  if (!value->is_object()) return std::nullopt;
  for (const auto& [name, text] : value->items()) {
    if (!text.is_string()) return std::nullopt;
    out[name] = text.get<std::string>();
  }
  return out;
}

std::optional<JournalHead> head_of(const Json& line) {
  const Json* schema = find(line, "schema");
  const Json* command = find(line, "command");
  const auto folder = text_at(line, "folder");
  const auto options = texts_at(line, "options");
  const auto started = number_at(line, "started_ns", 0);
  const bool search = schema != nullptr && *schema == kSearchSchema;
  const bool known = schema != nullptr && (search || *schema == kTuneSchema) &&
                     command != nullptr && command->is_array() && !command->empty();
  if (!known || !folder || !options || !started) return std::nullopt;
  JournalHead head = {.search = search};
  for (const Json& word : *command) {
    if (!word.is_string()) return std::nullopt;
    head.command.push_back(word.get<std::string>());
  }
  head.folder = *folder;
  head.options = *options;
  head.started_ns = static_cast<base::WallNs>(std::min<std::uint64_t>(*started, INT64_MAX));
  return head;
}

std::optional<std::vector<run::KnobSetting>> knobs_of(const Json& line) {
  std::vector<run::KnobSetting> out;
  const Json* knobs = find(line, "knobs");
  if (knobs == nullptr || !knobs->is_array()) return std::nullopt;
  for (const Json& pair : *knobs) {
    const bool sound = pair.is_array() && (pair.size() == 2 || pair.size() == 3) &&
                       std::ranges::all_of(pair, [](const Json& word) { return word.is_string(); });
    if (!sound) return std::nullopt;
    out.push_back({pair[0].get<std::string>(), pair[1].get<std::string>(),
                   pair.size() == 3 ? pair[2].get<std::string>() : ""});
  }
  return out;
}

std::optional<JournalEntry> trial_of(const Json& line) {
  auto knobs = knobs_of(line);
  const auto run = text_at(line, "run");
  const auto failure = text_at(line, "failure");
  const auto steps = number_at(line, "steps", 0);
  const auto seed_shift = number_at(line, "seed_shift", 0);
  const auto seen = number_at(line, "seen", 0);
  if (!knobs || !run || !is_id(*run) || !failure || !steps || !seed_shift || !seen) {
    return std::nullopt;
  }
  std::optional<std::vector<double>> losses;
  if (!take_losses(line, losses)) return std::nullopt;
  return JournalEntry{.knobs = std::move(*knobs),
                      .steps = *steps,
                      .seed_shift = *seed_shift,
                      .final = line.contains("final"),
                      .went_on = line.contains("went_on"),
                      .run = *run,
                      .failure = *failure,
                      .seen = *seen,
                      .losses = std::move(losses)};
}

// One line into `out`; false where it is none.
bool take(Journal& out, std::string_view text, bool first) {
  const Json line = Json::parse(text, nullptr, kNoThrow);
  if (!line.is_object()) return false;
  if (first) {
    auto head = head_of(line);
    if (head) out.head = std::move(*head);
    return head.has_value();
  }
  if (out.finished || out.trials.size() >= kMostJournalTrials) return false;
  if (line.contains("finished")) return out.finished = true;
  auto trial = trial_of(line);
  if (trial) out.trials.push_back(std::move(*trial));
  return trial.has_value();
}

}  // namespace

std::string journal_line(const JournalHead& head) {
  Json line = Json::object();
  line["schema"] = head.search ? kSearchSchema : kTuneSchema;
  line["started_ns"] = static_cast<std::uint64_t>(std::max<base::WallNs>(head.started_ns, 0));
  line["command"] = head.command;
  line["folder"] = head.folder;
  line["options"] = Json::object();
  for (const auto& [name, text] : head.options) line["options"][name] = text;
  return one_line(line);
}

std::string journal_line(const JournalEntry& entry) {
  Json line = Json::object();
  line["run"] = entry.run;
  line["knobs"] = Json::array();
  for (const auto& setting : entry.knobs) {
    Json pair = Json::array({setting.knob, setting.value});
    if (!setting.pattern.empty()) pair.push_back(setting.pattern);
    line["knobs"].push_back(std::move(pair));
  }
  line["steps"] = entry.steps;
  if (entry.seed_shift != 0) line["seed_shift"] = entry.seed_shift;
  if (entry.final) line["final"] = true;
  if (entry.went_on) line["went_on"] = true;
  if (!entry.failure.empty()) line["failure"] = entry.failure;
  line["seen"] = entry.seen;
  if (entry.losses) {
    line["losses"] = Json::array();
    for (const double loss : *entry.losses) line["losses"].push_back(loss_json(loss));
  }
  return one_line(line);
}

std::string journal_end() { return "{\"finished\":true}\n"; }

base::Result<Journal> parse_journal(std::string_view text, const std::string& name) {
  if (text.size() > kMostJournalBytes) {
    return base::fail(ErrorCode::kTooLarge, name + " is too large for a journal");
  }
  Journal out;
  std::size_t number = 0;
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    ++number;
    if (!take(out, text.substr(0, end), number == 1)) {
      return base::fail(ErrorCode::kCorrupt,
                        name + ", line " + std::to_string(number) + ": no line of a journal");
    }
    text.remove_prefix(end + 1);
  }
  if (number == 0) return base::fail(ErrorCode::kCorrupt, name + " has no line");
  return out;
}

JournalEntry entry_of(const TrialSpec& spec, const TrialResult& result) {
  JournalEntry entry = {.knobs = spec.knobs,
                        .steps = spec.steps,
                        .seed_shift = spec.seed_shift,
                        .final = spec.final,
                        .run = result.run,
                        .failure = result.failure,
                        .seen = result.steps.size()};
  if (result.evidence.losses.size() <= kMostJournalLosses) entry.losses = result.evidence.losses;
  return entry;
}

bool same_trial(const JournalEntry& entry, const TrialSpec& spec) {
  return entry.knobs == spec.knobs && entry.steps == spec.steps &&
         entry.seed_shift == spec.seed_shift && entry.final == spec.final;
}

}  // namespace flatout::apply
