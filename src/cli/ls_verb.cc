#include <fnmatch.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <string>

#include "app/run_list_json.h"
#include "app/stored_runs.h"
#include "app/voice.h"
#include "base/joined.h"
#include "cli/answer.h"
#include "cli/verbs.h"
#include "report/layout.h"
#include "report/quantity.h"
#include "store/catalog.h"

namespace flatout::cli {
namespace {

constexpr std::size_t kLeastCommand = 20;

struct Column {
  const char* title;
  std::size_t most;  // longer texts are cut in the middle
  bool right = false;
};
constexpr std::array<Column, 9> kColumns = {{{"id", 26},
                                             {"name", 32},
                                             {"state", 8},
                                             {"started", 16},
                                             {"duration", 12, true},
                                             {"size", 8, true},
                                             {"verdict", 16},
                                             {"tags", 16},
                                             {"command", 0}}};  // what is left of the line
using Row = std::array<std::string, kColumns.size()>;

// Columns of the terminal; 0 where stdout is none, and nothing is cut.
std::size_t terminal_columns() {
  winsize size{};
  const bool known = ::ioctl(1, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 0;
}

std::string local_time(base::WallNs wall_ns) {
  const auto seconds = static_cast<std::time_t>(wall_ns / base::kSecond);
  std::tm local{};
  char text[32] = "?";
  if (localtime_r(&seconds, &local) != nullptr) {
    (void)std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &local);
  }
  return text;
}

Row row_of(const store::CatalogEntry& run) {
  Row row;
  row[0] = run.id;
  row[2] = app::state_of(run);
  row[5] = report::format_bytes(static_cast<double>(run.bytes));
  row[6] = run.meta.outcome ? run.meta.outcome->finding : "";
  row[7] = base::joined(run.meta.tags, ",");
  row[8] = run.problem;
  if (!run.problem.empty()) return row;
  row[1] = run.name;
  row[3] = local_time(run.started_wall_ns);
  row[4] = report::format_seconds(static_cast<double>(run.duration_ns) / 1e9);
  row[8] = run.command;
  return row;
}

Row titles() {
  Row row;
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = kColumns[i].title;
  return row;
}

// As wide as its longest text, up to its bound.
std::array<std::size_t, kColumns.size()> widths(const std::vector<Row>& rows) {
  std::array<std::size_t, kColumns.size()> out{};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i + 1 < row.size(); ++i) {
      out[i] = std::max(out[i], std::min(row[i].size(), kColumns[i].most));
    }
  }
  return out;
}

std::string table(std::vector<Row> rows, std::size_t columns) {
  for (Row& row : rows) {
    for (std::string& cell : row) cell = report::to_ascii(cell);
  }
  const auto width = widths(rows);
  std::string text;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i + 1 < row.size(); ++i) {
      const std::string cell = report::shorten(row[i], width[i]);
      const std::string pad(width[i] - cell.size(), ' ');
      line += (kColumns[i].right ? pad + cell : cell + pad) + "  ";
    }
    const std::size_t room = columns > line.size() ? columns - line.size() : 0;
    line += columns == 0 ? row.back() : report::shorten(row.back(), std::max(room, kLeastCommand));
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

bool asked_for(const store::CatalogEntry& run, const ListOptions& options) {
  const bool tagged =
      options.tag.empty() || std::ranges::find(run.meta.tags, options.tag) != run.meta.tags.end();
  const bool named =
      options.name.empty() || ::fnmatch(options.name.c_str(), run.name.c_str(), 0) == 0;
  return tagged && named && (options.state.empty() || options.state == app::state_of(run));
}

std::string text_of(const std::vector<store::CatalogEntry>& runs) {
  std::vector<Row> rows = {titles()};
  for (const store::CatalogEntry& run : runs) rows.push_back(row_of(run));
  return table(std::move(rows), terminal_columns());
}

// Each run, then its trials in the order in which they ran. A trial whose run is
// not listed stands by itself.
std::string tree_of(const std::vector<store::CatalogEntry>& runs) {
  const auto listed = [&](const std::string& id) {
    return std::ranges::any_of(runs, [&](const auto& run) { return run.id == id; });
  };
  std::vector<Row> rows = {titles()};
  for (const store::CatalogEntry& run : runs) {
    if (!run.parent.empty() && listed(run.parent)) continue;
    rows.push_back(row_of(run));
    for (auto trial = runs.rbegin(); trial != runs.rend(); ++trial) {
      if (trial->parent != run.id) continue;
      rows.push_back(row_of(*trial));
      rows.back()[0].insert(0, "  ");
    }
  }
  return table(std::move(rows), terminal_columns());
}

}  // namespace

int ls_verb(const ListOptions& options) {
  app::Voice voice(false);
  const auto home = app::open_home(options.home);
  auto listing = home ? store::list_catalog(*home, store::viewpoint_here())
                      : base::Result<store::CatalogListing>(std::unexpected(home.error()));
  if (!listing) {
    voice.error(listing.error().message);
    return 1;
  }
  if (!listing->problem.empty()) voice.note(listing->problem);
  const bool any = !listing->runs.empty();
  std::erase_if(listing->runs,
                [&](const store::CatalogEntry& run) { return !asked_for(run, options); });
  const bool json = options.format == Format::kJson;
  if (!any && !json) {
    voice.note("no runs in " + home->root().string() + " yet; flatout run -- CMD records one");
    return 0;
  }
  if (listing->runs.empty() && !json) {
    voice.note("no run in " + home->root().string() + " is like that; flatout ls shows all");
    return 0;
  }
  if (json) return answer(app::run_list_json(listing->runs));
  return answer(options.tree ? tree_of(listing->runs) : text_of(listing->runs));
}

}  // namespace flatout::cli
