#include "apply/search/journaled_search.h"

#include <gtest/gtest.h>

#include <map>

#include "apply/search/made_up_trials_fixture.h"

namespace flatout::apply {
namespace {

// Keeps what it was given, as a store and a journal would.
class Memory final : public SearchArchive {
 public:
  base::Result<MeasuredTrial> read(const JournalEntry& entry) override {
    const auto found = trials.find(entry.run);
    if (found == trials.end()) return base::fail(base::ErrorCode::kNotFound, entry.run);
    return found->second;
  }
  void append(const JournalEntry& entry) override {
    auto again = parse_journal(
        journal_line(JournalHead{.search = true, .command = {"x"}}) + journal_line(entry), "j");
    ASSERT_TRUE(again);
    EXPECT_EQ(again->trials.at(0), entry);
    journal.trials.push_back(entry);
  }
  std::map<std::string, MeasuredTrial> trials;
  Journal journal;
};

// Keeps each trial that it made, and numbers them over several programs.
class Kept final : public SearchRunner {
 public:
  Kept(SearchRunner& inner, Memory& memory) : inner_(inner), memory_(memory) {}
  int slots() const override { return inner_.slots(); }
  bool interrupted() const override { return inner_.interrupted(); }
  base::Result<void> start(const SearchTrial& trial) override {
    ++made;
    return inner_.start(trial);
  }
  base::Result<EndedTrial> wait() override {
    auto ended = inner_.wait();
    ended->measured.trial.run = "r" + std::to_string(memory_.trials.size());
    memory_.trials[ended->measured.trial.run] = ended->measured;
    return ended;
  }
  int made = 0;

 private:
  SearchRunner& inner_;
  Memory& memory_;
};

SearchSpace space() {
  auto parsed = parse_space(
      "[search]\nsteps = [20, 60, 180]\ntrials = 20\nseed = 5\n"
      "[arguments]\nx = {from = 1, to = 100, step = 1}\n[environment]\ny = {values = [1, 2]}\n",
      "s");
  EXPECT_TRUE(parsed);
  return *parsed;
}

SearchBehaviour behave(const SearchPoint& point, std::int64_t) {
  if (point.empty()) return {};
  const int x = std::stoi(point[0].value);
  return {.samples_per_s = 100.0 + x * std::stoi(point[1].value),
          .failure = x % 7 == 3 ? "exit status 1" : ""};
}

struct Outcome {
  run::SearchReport report;
  int made = 0;
  std::size_t taken_over = 0;
};

Outcome searched(Memory& memory, int slots, std::optional<int> interrupt_after,
                 const SearchSpace& searched_space) {
  base::FakeClock clock;
  MadeUpTrials program(clock, slots, behave);
  program.interrupt_after = interrupt_after;
  Kept kept(program, memory);
  JournaledSearch journaled(kept, memory, Journal(memory.journal));
  memory.journal.trials.clear();  // it is written anew: what is taken over, and what is made
  Silent silent;
  auto found = search(journaled, searched_space, clock, silent);
  EXPECT_TRUE(found) << found.error().message;
  return {found ? *found : run::SearchReport{}, kept.made, journaled.taken_over()};
}

// What was found, but for ids, times and the last comparison.
std::vector<std::string> story(const run::SearchReport& report) {
  std::vector<std::string> out = {std::to_string(report.baseline.value.value())};
  for (const auto& point : report.points) {
    std::string text = run::point_text(point.settings);
    for (const auto& result : point.results) {
      text += " " + std::to_string(result.steps) + ":" + std::to_string(result.value.value_or(-1)) +
              result.failure;
    }
    out.push_back(std::move(text));
  }
  return out;
}

TEST(JournaledSearch, GoesOnWhereverItWasInterruptedAndMakesNoTrialAgain) {
  const auto whole_space = space();
  for (const int slots : {1, 3}) {
    Memory unbroken;
    const Outcome whole = searched(unbroken, slots, {}, whole_space);
    ASSERT_TRUE(whole.report.final);
    for (int after = 2; after < whole.made - 6; after += 3) {
      Memory memory;
      const Outcome first = searched(memory, slots, after, whole_space);
      EXPECT_TRUE(first.report.interrupted);
      const auto journal = memory.journal;
      const std::size_t in_journal = journal.trials.size();
      EXPECT_EQ(in_journal, static_cast<std::size_t>(after - 1)) << "the last was cut off";
      const Outcome second = searched(memory, slots, {}, whole_space);
      EXPECT_EQ(second.taken_over, in_journal);
      EXPECT_EQ(second.report.id, first.report.id);
      if (slots == 1) {
        EXPECT_EQ(second.made, whole.made - static_cast<int>(in_journal)) << after;
        EXPECT_EQ(story(second.report), story(whole.report)) << after;
      }
      EXPECT_EQ(run::best_point(second.report)->settings, run::best_point(whole.report)->settings);
      ASSERT_TRUE(second.report.final);
      EXPECT_TRUE(second.report.final->confirmed);
    }
  }
}

TEST(JournaledSearch, ATrialThatIsGoneIsMadeAgain) {
  Memory memory;
  (void)searched(memory, 1, 9, space());
  const auto journal = memory.journal;
  memory.trials.erase(journal.trials[3].run);
  const Outcome second = searched(memory, 1, {}, space());
  EXPECT_EQ(second.taken_over, journal.trials.size() - 1);
  EXPECT_TRUE(second.report.final);
}

TEST(JournaledSearch, WithMoreSlotsOrAnotherSpaceOnlyWhatIsAskedForIsTakenOver) {
  Memory memory;
  (void)searched(memory, 1, 12, space());
  const std::size_t before = memory.journal.trials.size();
  const Outcome wider = searched(memory, 4, {}, space());
  EXPECT_LE(wider.taken_over, before);
  EXPECT_GT(wider.taken_over, 5U);
  Memory other;
  (void)searched(other, 1, 12, space());
  SearchSpace elsewhere = space();
  elsewhere.seed = 6;
  const Outcome another = searched(other, 1, {}, elsewhere);
  EXPECT_LE(another.taken_over, 2U) << "the program as it is, and a point by chance";
}

TEST(JournaledSearch, TheLastComparisonIsMadeAnew) {
  Memory memory;
  const Outcome whole = searched(memory, 1, {}, space());
  for (const auto& entry : memory.journal.trials) EXPECT_FALSE(entry.final);
  const Outcome again = searched(memory, 1, {}, space());
  EXPECT_EQ(again.made, 6);
  EXPECT_EQ(story(again.report), story(whole.report));
}

}  // namespace
}  // namespace flatout::apply
