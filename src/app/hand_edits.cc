#include "app/hand_edits.h"

#include <algorithm>
#include <charconv>
#include <exception>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "analyse/analysis.h"
#include "analyse/compare/stated.h"
#include "app/stored_runs.h"
#include "apply/source_edit.h"
#include "base/file.h"
#include "base/printable.h"
#include "report/unified_diff.h"
#include "run/knob_table.h"

namespace flatout::app {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostSource = 4U << 20;

// What a trial reports of the program's text.
struct Program {
  analyse::Stated places, config;
  std::string cwd;  // of the trial: a copy of the program's folder, or the folder itself
};

struct Edit {
  std::string knob, file;  // relative to the working directory
  int line = 0;
  std::string call;
  apply::Argument argument;
};

std::optional<Program> program_of(const std::string& home, const run::Plan& plan) {
  for (const run::PlanEntry& entry : plan.entries) {
    for (const std::string& id : entry.runs) {
      const auto run = open_run(home, id);
      if (!run) continue;
      try {
        const analyse::Analysis analysis = analyse::measure(run->timeline);
        return Program{.places = analyse::places_of(run->timeline, analysis),
                       .config = analyse::config_of(run->timeline, analysis),
                       .cwd = run->timeline.info.cwd};
      } catch (const std::exception&) {
        continue;  // the lines by hand do without it
      }
    }
  }
  return std::nullopt;
}

std::string text_of(const analyse::Stated& stated, const char* key) {
  const auto found = stated.find(key);
  if (found == stated.end()) return "";
  const auto json = nlohmann::json::parse(found->second, nullptr, /*allow_exceptions=*/false);
  return json.is_string() ? json.get<std::string>() : "";
}

// "/abs/train.py:41" below `folder` -> "train.py:41"; "" = it lies elsewhere.
std::string below(const std::string& place, const std::string& folder) {
  if (folder.empty() || folder == "/" || !place.starts_with(folder + "/")) return "";
  return place.substr(folder.size() + 1);
}

bool exists(const std::string& place) {
  std::error_code unknown;
  return fs::exists(place.substr(0, place.rfind(':')), unknown);
}

// The place below the working directory; "" = it lies elsewhere. A trial in a copy of the folder
// reports places in that copy, which is gone.
std::string mine_of(const std::string& place, const std::string& here, const std::string& copy) {
  if (const std::string own = below(place, here); !own.empty()) return own;
  const std::string copied = below(place, copy);
  return !copied.empty() && !exists(place) && exists(copied) ? copied : "";
}

bool says_where(const run::KnobFacts& facts) { return facts.edit.at != run::KnobBuilt::kNothing; }

// The place that built what the knob is an argument of; the reason where that cannot be changed.
void add_edit(const run::KnobFacts& facts, const run::KnobSetting& setting, const Program& program,
              const std::string& here, std::vector<Edit>& edits, HandEdits& out) {
  const bool loader = facts.edit.at == run::KnobBuilt::kLoader;
  const std::string place =
      text_of(program.places, loader ? "loader.built_at" : "optimizer.built_at");
  const std::string call = loader ? "DataLoader" : text_of(program.config, "optimizer.class");
  if (place.empty() || call.empty()) return;
  const std::string mine = mine_of(place, here, program.cwd);
  std::string& where = out.where[setting.knob];
  where = mine.empty() ? place : mine;
  const std::size_t colon = mine.rfind(':');
  int line = 0;
  if (colon != std::string::npos) {
    (void)std::from_chars(mine.data() + colon + 1, mine.data() + mine.size(), line);
  }
  if (line < 1) return;
  if (facts.counts == run::KnobCounts::kWorkers && setting.value == "0") {
    where += " (by hand: arguments that need workers go, too)";
    return;
  }
  edits.push_back({.knob = setting.knob,
                   .file = mine.substr(0, colon),
                   .line = line,
                   .call = call,
                   .argument = {.keyword = facts.edit.keyword,
                                .position = facts.edit.position,
                                .value = run::python_literal(setting.value)}});
}

// `edits` are all of one file, from its end to its beginning, so that the lines before stay.
void add_diff(const std::vector<Edit>& edits, HandEdits& out) {
  const std::string& file = edits.front().file;
  const auto before = base::read_file(file, kMostSource);
  std::string after = before.value_or("");
  for (const Edit& edit : edits) {
    auto changed =
        apply::with_argument(after, {.line = edit.line, .call = edit.call}, edit.argument);
    const std::string why = before ? changed.why_not : "it is not there any more";
    if (why.empty()) {
      after = std::move(changed.text);
    } else {
      out.where[edit.knob] += " (by hand: " + why + ")";
    }
  }
  std::string diff = before ? report::unified_diff(file, *before, after) : "";
  if (diff == base::printable(diff)) {
    out.diff += diff;
    return;
  }
  for (const Edit& edit : edits) {
    out.where[edit.knob] += " (by hand: the lines hold characters that cannot be shown)";
  }
}

}  // namespace

HandEdits hand_edits(const std::string& home, const run::Plan& plan) {
  HandEdits out;
  const auto program = program_of(home, plan);
  std::error_code unknown;
  const std::string here = fs::canonical(".", unknown).string();
  if (!program) return out;
  std::vector<Edit> edits;
  for (const run::PlanEntry& entry : plan.entries) {
    const run::KnobFacts* facts = run::knob_facts(entry.setting.knob);
    if (facts != nullptr && says_where(*facts)) {
      add_edit(*facts, entry.setting, *program, here, edits, out);
    }
  }
  std::ranges::stable_sort(edits, [](const Edit& a, const Edit& b) {
    return a.file != b.file ? a.file < b.file : a.line > b.line;
  });
  for (auto first = edits.begin(); first != edits.end();) {
    const auto end = std::find_if(first, edits.end(),
                                  [&](const Edit& edit) { return edit.file != first->file; });
    add_diff({first, end}, out);
    first = end;
  }
  return out;
}

}  // namespace flatout::app
