#include "cli/run_table.h"

#include <gtest/gtest.h>

#include <sstream>

#include "base/terminal_text.h"

namespace flatout::cli {
namespace {

store::CatalogEntry entry(const std::string& id, const std::string& name) {
  store::CatalogEntry out;
  out.id = id;
  out.name = name;
  out.state = run::RunState::kFinished;
  out.started_wall_ns = 1'763'690'570'123'000'000;
  out.duration_ns = 90 * base::kSecond;
  out.bytes = 62'500;
  out.command = "python train.py --data /data/größe/学習";
  out.meta.outcome = store::RunOutcome{};
  out.meta.outcome->finding = "input_bound";
  return out;
}

std::vector<ListedFamily> some() {
  ListedFamily tune{.family = {.run = entry("k7f2", ""), .trials = {}},
                    .kind = store::FamilyKind::kTune};
  tune.family.trials = {entry("abcd", "num_workers=2"), entry("efgh", "num_workers=4")};
  ListedFamily plain{.family = {.run = entry("m3qa", "学習"), .trials = {}}};
  return {plain, tune};
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

TEST(RunTable, ATuneIsOneRowUnlessItsTrialsAreWanted) {
  const auto few = lines(run_table(some(), TrialsShown::kCounted, {.unicode = true}));
  ASSERT_EQ(few.size(), 3U);
  EXPECT_NE(few[2].find("tune, 3 runs: python train.py"), std::string::npos) << few[2];
  EXPECT_NE(few[2].find("188 kB"), std::string::npos) << "the size of all: " << few[2];
  const auto all = lines(run_table(some(), TrialsShown::kBelow, {.unicode = true}));
  ASSERT_EQ(all.size(), 5U);
  EXPECT_TRUE(all[2].starts_with("k7f2") && all[3].starts_with("  abcd"));
}

TEST(RunTable, ARunWithoutANameHasThatOfItsTracker) {
  ListedFamily tracked{.family = {.run = entry("k7f2", ""), .trials = {}}};
  tracked.family.run.meta.tracked = store::TrackedHeadline{};
  tracked.family.run.meta.tracked->name = "brisk-wave";
  tracked.family.run.meta.tags = {"hand"};
  tracked.family.run.meta.tracked->tags = {"script", "hand"};
  ListedFamily named = tracked;
  named.family.run.name = "baseline";
  const auto rows = lines(run_table({tracked, named}, TrialsShown::kCounted, {}));
  EXPECT_NE(rows[1].find("brisk-wave"), std::string::npos) << rows[1];
  EXPECT_NE(rows[1].find("hand,script"), std::string::npos) << rows[1];
  EXPECT_EQ(rows[2].find("brisk-wave"), std::string::npos) << rows[2];
}

TEST(RunTable, ColumnsHoldWhateverTheCharacters) {
  const auto rows = lines(run_table(some(), TrialsShown::kBelow, {.unicode = true}));
  const auto column = [](const std::string& line, const char* word) {
    return base::display_width(line.substr(0, line.find(word)));
  };
  for (const std::string& row : rows) {
    if (&row == &rows.front()) continue;
    EXPECT_EQ(column(row, "finished"), column(rows[0], "state")) << row;
    EXPECT_EQ(column(row, "python"), column(rows[0], "command")) << row;
  }
  EXPECT_NE(rows[1].find("/data/größe/学習"), std::string::npos);
  const auto ascii = run_table(some(), TrialsShown::kBelow, {});
  EXPECT_NE(ascii.find("gr??e"), std::string::npos);
}

TEST(RunTable, FitsTheTerminal) {
  for (const std::size_t columns : {40U, 60U, 80U, 100U, 160U}) {
    const auto text = run_table(some(), TrialsShown::kBelow, {.columns = columns, .unicode = true});
    for (const std::string& line : lines(text)) {
      EXPECT_LE(base::display_width(line), columns) << line;
    }
  }
}

TEST(RunTable, ColourChangesNothingButColour) {
  const TerminalStyle plain{.columns = 80, .unicode = true};
  TerminalStyle coloured = plain;
  coloured.colour = true;
  std::string text = run_table(some(), TrialsShown::kBelow, coloured);
  EXPECT_NE(text.find("\x1b[1m"), std::string::npos);
  for (std::size_t at = text.find('\x1b'); at != std::string::npos; at = text.find('\x1b')) {
    text.erase(at, text.find('m', at) + 1 - at);
  }
  EXPECT_EQ(text, run_table(some(), TrialsShown::kBelow, plain));
}

TEST(RunTable, ATuneThatGoesOnIsRunning) {
  auto families = some();
  families[1].going_on = true;
  const auto rows = lines(run_table(families, TrialsShown::kCounted, {}));
  EXPECT_NE(rows[2].find("running"), std::string::npos);
  EXPECT_EQ(rows[1].find("running"), std::string::npos);
}

}  // namespace
}  // namespace flatout::cli
