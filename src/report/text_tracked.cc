// What a script logged through a tracker: a field a tracked run.
#include <algorithm>
#include <string>

#include "report/quantity.h"
#include "report/text_parts.h"

namespace flatout::report {
namespace {

constexpr std::size_t kMostRuns = 3, kMostShown = 5;

std::string counted(std::int64_t count, const char* one) {
  return std::to_string(count) + " " + one + (count == 1 ? "" : "s");
}

std::string last_values(const run::TrackedReport& tracked) {
  std::string out;
  const std::size_t shown = std::min(tracked.values.size(), kMostShown);
  for (std::size_t i = 0; i < shown; ++i) {
    const run::ValueReport& value = tracked.values[i];
    out += (i == 0 ? "" : ", ") + value.name + " " +
           (value.last ? format_number(*value.last) : "not finite");
  }
  return out;
}

}  // namespace

std::string tracked_title(const run::TrackedReport& tracked) {
  std::string out = tracked.project;
  const std::string& name = tracked.name.empty() ? tracked.id : tracked.name;
  if (!name.empty() && name != out) out += (out.empty() ? "" : " / ") + name;
  return out.empty() ? "a run without a name" : out;
}

std::string branch_text(const run::TrackedBranch& branch) {
  std::string out = (branch.rewind ? "rewound to" : "forked from ") +
                    (branch.rewind ? std::string() : branch.from);
  if (branch.from_step) {
    out += (branch.rewind ? " step " : " at step ") + std::to_string(*branch.from_step);
  } else if (branch.rewind) {
    out += " its end";
  }
  if (!branch.values || *branch.values + branch.rows == 0) return out + ", without its history";
  return out + (branch.problem.empty() ? "" : ", whose history is not whole");
}

std::string tracked_counts(const run::TrackedReport& tracked) {
  std::string out = counted(tracked.metrics, "metric") + ", " + counted(tracked.points, "point");
  if (tracked.texts > 0) out += ", " + counted(tracked.texts, "text");
  if (tracked.files > 0) out += ", " + counted(tracked.files, "file");
  if (tracked.alerts > 0) out += ", " + counted(tracked.alerts, "alert");
  if (tracked.lost > 0) out += ", " + std::to_string(tracked.lost) + " lost";
  if (tracked.branch) out += "; " + branch_text(*tracked.branch);
  return out;
}

void add_tracked(const run::Report& report, Page& page) {
  const Rank rank = report.steps ? kLoader : kNextFix;
  for (std::size_t i = 0; i < report.tracked.size(); ++i) {
    if (i == kMostRuns) {
      page.add_field(rank, "Tracked", std::to_string(report.tracked.size() - kMostRuns) + " more");
      return;
    }
    const run::TrackedReport& tracked = report.tracked[i];
    const std::string head = tracked_title(tracked) + ": " + tracked_counts(tracked);
    const std::string values = last_values(tracked);
    page.add_field(rank, "Tracked",
                   cleaned(values.empty() ? head : head + "; last " + values, page.style()),
                   cleaned(head, page.style()));
  }
}

}  // namespace flatout::report
