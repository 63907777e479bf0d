#include <nlohmann/json.hpp>

#include "base/terminal_text.h"
#include "cli/doctor.h"
#include "report/layout.h"

namespace flatout::cli {
namespace {

struct MarkWords {
  const char* text;
  const char* name;  // in JSON
  Ink ink;
};

MarkWords words_of(Mark mark) {
  switch (mark) {
    case Mark::kOk:
      return {.text = "ok", .name = "ok", .ink = Ink::kGreen};
    case Mark::kMissing:
      return {.text = "--", .name = "missing", .ink = Ink::kDim};
    case Mark::kBroken:
      break;
  }
  return {.text = "NO", .name = "broken", .ink = Ink::kRed};
}

bool all_well(const std::vector<Check>& checks) {
  bool well = true;
  for (const Check& check : checks) well = well && check.mark != Mark::kBroken;
  return well;
}

constexpr std::size_t kIndent = 14;  // of what was found

}  // namespace

std::string doctor_text(const std::vector<Check>& checks, const TerminalStyle& style) {
  std::string text = inked(Ink::kBold, "flatout " FLATOUT_VERSION, style.colour) + "\n";
  for (const Check& check : checks) {
    const MarkWords mark = words_of(check.mark);
    text += "  " + inked(mark.ink, mark.text, style.colour) + "  " +
            base::padded_to(check.name, kIndent - 7) + " ";
    const std::string found = base::terminal_text(check.text, style.unicode);
    if (style.columns == 0 || kIndent + base::display_width(found) <= style.columns) {
      text += found + "\n";
      continue;
    }
    const std::size_t room = std::max(style.columns, kIndent + 20) - kIndent;
    const auto lines = report::wrap("", found, room);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      text += (i == 0 ? "" : std::string(kIndent, ' ')) + lines[i] + "\n";
    }
  }
  return text + (all_well(checks)
                     ? "flatout run can record here.\n"
                     : "flatout run works, but records less than it could: see the lines marked "
                       "NO.\n");
}

std::string doctor_json(const std::vector<Check>& checks) {
  using Json = nlohmann::ordered_json;
  Json out = {{"schema", "flatout.doctor/1"},
              {"version", FLATOUT_VERSION},
              {"ok", all_well(checks)},
              {"checks", Json::array()}};
  for (const Check& check : checks) {
    out["checks"].push_back(
        {{"name", check.name}, {"mark", words_of(check.mark).name}, {"text", check.text}});
  }
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace flatout::cli
