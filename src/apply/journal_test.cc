#include "apply/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <random>

#include "apply/journaled_trials.h"
#include "apply/made_up_program_fixture.h"
#include "apply/tuner.h"

namespace flatout::apply {
namespace {

using testing::HasSubstr;

JournalHead head() {
  return {.started_ns = 17,
          .command = {"python", "train.py", "--key", "****", "\"odd\"\n\xff"},
          .folder = "/a b/c",
          .options = {{"risk", "rounding"}, {"knobs", "num_workers,tf32"}}};
}

std::vector<JournalEntry> entries() {
  return {{.knobs = {}, .steps = 41, .went_on = true, .run = "k7f2", .seen = 40},
          {.knobs = {{"dataloader.num_workers", "4"}, {"precision.matmul", "\"tf32\""}},
           .steps = 62,
           .seed_shift = 2,
           .final = true,
           .run = "m3qa",
           .failure = "exit status 1 (line\nof \"output\")",
           .seen = 3}};
}

std::string text_of(const std::vector<JournalEntry>& trials) {
  std::string text = journal_line(head());
  for (const auto& entry : trials) text += journal_line(entry);
  return text;
}

TEST(Journal, WhatIsWrittenIsRead) {
  auto expected = head();
  expected.command.back() = "\"odd\"\n\uFFFD";
  const auto journal = parse_journal(text_of(entries()), "j");
  ASSERT_TRUE(journal) << journal.error().message;
  EXPECT_EQ(journal->head, expected);
  EXPECT_EQ(journal->trials, entries());
  EXPECT_FALSE(journal->finished);
  EXPECT_TRUE(parse_journal(text_of(entries()) + journal_end(), "j")->finished);
  EXPECT_FALSE(journal->head.search);
  expected.search = true;
  EXPECT_EQ(parse_journal(journal_line(expected), "j")->head, expected);
}

// The loss gate compares bits.
TEST(Journal, LossesAreReadAsTheyWere) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInf = std::numeric_limits<double>::infinity();
  std::vector<double> losses = {0.1, 1.0 / 3, -0.0, 5e-324, 1.7976931348623157e308, kInf, -kInf};
  std::mt19937_64 random(3);
  for (int i = 0; i < 2000; ++i) {
    const double any = std::bit_cast<double>(random());
    losses.push_back(std::isfinite(any) ? any : 0.5);
  }
  losses.push_back(kNan);
  JournalEntry entry = entries()[0];
  entry.losses = losses;
  const auto journal = parse_journal(text_of({entry}), "j");
  ASSERT_TRUE(journal) << journal.error().message;
  const auto& read = journal->trials.at(0).losses;
  ASSERT_TRUE(read);
  ASSERT_EQ(read->size(), losses.size());
  for (std::size_t i = 0; i + 1 < losses.size(); ++i) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>((*read)[i]), std::bit_cast<std::uint64_t>(losses[i]))
        << losses[i];
  }
  EXPECT_TRUE(std::isnan(read->back()));
  // None that were printed is not the same as none that were kept.
  entry.losses.emplace();
  EXPECT_TRUE(parse_journal(text_of({entry}), "j")->trials[0].losses);
  EXPECT_FALSE(parse_journal(text_of(entries()), "j")->trials[0].losses);
  TrialResult chatty;
  chatty.evidence.losses.assign(kMostJournalLosses + 1, 0.0);
  EXPECT_FALSE(entry_of({}, chatty).losses);
}

TEST(Journal, ALineThatAKillCutOffIsLeftOut) {
  const std::string text = text_of(entries());
  const std::size_t second = text.find('\n', text.find('\n') + 1) + 1;
  for (std::size_t cut = second; cut < text.size(); ++cut) {
    const auto journal = parse_journal(std::string_view(text).substr(0, cut), "j");
    ASSERT_TRUE(journal);
    EXPECT_EQ(journal->trials.size(), 1U);
  }
}

TEST(Journal, ABadLineIsAnErrorThatNamesIt) {
  const std::string good = journal_line(head());
  const std::vector<std::string> bad = {
      "\n",
      "{}\n",
      "[]\n",
      "nonsense\n",
      R"({"run":"../x","knobs":[],"steps":1,"seen":1})"
      "\n",
      R"({"run":"","knobs":[],"steps":1,"seen":1})"
      "\n",
      R"({"run":"k7f2","knobs":{},"steps":1,"seen":1})"
      "\n",
      R"({"run":"k7f2","knobs":[["a"]],"steps":1,"seen":1})"
      "\n",
      R"({"run":"k7f2","knobs":[["a",1]],"steps":1,"seen":1})"
      "\n",
      R"({"run":"k7f2","knobs":[],"steps":1,"seen":1,"losses":3})"
      "\n",
      R"({"run":"k7f2","knobs":[],"steps":1,"seen":1,"losses":[0.5,null]})"
      "\n",
      R"({"run":"k7f2","knobs":[],"steps":1,"seen":1,"losses":["0.5"]})"
      "\n",
      R"({"run":"k7f2","knobs":[],"steps":-1,"seen":1})"
      "\n",
      R"({"run":"k7f2","knobs":[],"steps":1e99,"seen":1})"
      "\n",
      R"({"run":7,"knobs":[],"steps":1,"seen":1})"
      "\n",
      journal_end() + journal_end(),
  };
  for (const auto& line : bad) {
    const auto journal = parse_journal(good + line, "j");
    ASSERT_FALSE(journal) << line;
    EXPECT_THAT(journal.error().message, HasSubstr("j, line ")) << line;
  }
  for (const char* text : {"", "{", "{}\n",
                           R"({"schema":"flatout.tune-journal/1"})"
                           "\n"}) {
    EXPECT_FALSE(parse_journal(text, "j")) << text;
  }
  EXPECT_EQ(parse_journal(std::string(kMostJournalBytes + 1, '\n'), "j").error().code,
            base::ErrorCode::kTooLarge);
}

TEST(JournalProperty, FlippedBytesNeverCrash) {
  const std::string text = text_of(entries()) + journal_end();
  std::mt19937 random(5);
  for (int round = 0; round < 2000; ++round) {
    std::string changed = text;
    for (int flips = 0; flips < 3; ++flips) {
      changed[random() % changed.size()] = static_cast<char>(random());
    }
    const auto journal = parse_journal(changed, "j");
    if (!journal) continue;
    for (const auto& entry : journal->trials) ASSERT_FALSE(entry.run.empty());
  }
}

// Keeps results as a store does, and the journal as text.
class Archive final : public TrialArchive {
 public:
  base::Result<TrialResult> read(const JournalEntry& entry) override {
    if (entry.run == lost) return base::fail(base::ErrorCode::kNotFound, "it is gone");
    return stored.at(entry.run);
  }
  void goes_on(std::span<const JournalEntry> kept, const std::string& reason) override {
    text = journal_line(JournalHead{.command = {"x"}});
    for (const auto& entry : kept) text += journal_line(entry);
    taken_over = kept.size();
    why = reason;
  }
  void append(const JournalEntry& entry) override { text += journal_line(entry); }
  Journal journal() const { return parse_journal(text, "j").value(); }

  std::string text = journal_line(JournalHead{.command = {"x"}});
  std::map<std::string, TrialResult> stored;
  std::string lost, why;
  std::optional<std::size_t> taken_over;
};

// The n-th trial of a tune gives the same each time it is made, however often the tune was
// interrupted.
class SameAgain final : public TrialRunner {
 public:
  SameAgain(MadeUpProgram& program, Archive& archive) : program_(program), archive_(archive) {}
  base::Result<TrialResult> run(const TrialSpec& spec) override {
    const std::size_t number = archive_.journal().trials.size();
    ++made;
    if (number >= results_.size()) results_.push_back(program_.run(spec).value());
    TrialResult result = results_.at(number);
    archive_.stored[result.run] = result;
    if (made == interrupt_after) interrupted_ = true;
    return result;
  }
  bool interrupted() const override { return interrupted_; }
  void begin(std::size_t after) {
    interrupted_ = false;
    made = 0;
    interrupt_after = after;
  }
  std::size_t made = 0;
  std::size_t interrupt_after = 0;

 private:
  MadeUpProgram& program_;
  Archive& archive_;
  std::vector<TrialResult> results_;
  bool interrupted_ = false;
};

std::string text_of(const run::TuneReport& report) {
  std::string text = report.id + std::to_string(report.prediction_error_median.value_or(-1));
  const auto row = [&](const run::TuneTrial& trial) {
    text += "\n" + trial.knob + trial.to + trial.reason;
    if (trial.speedup) text += std::to_string(trial.speedup->lo);
    for (const auto& id : trial.runs) text += " " + id;
  };
  for (const auto& trial : report.trials) row(trial);
  for (const auto& trial : report.skipped) row(trial);
  for (const auto& entry : report.plan.entries) text += "\n" + entry.setting.value;
  for (const auto& note : report.notes) text += "\n" + note;
  if (report.final) text += "\n" + std::to_string(report.final->speedup->ratio);
  return text;
}

// A program with several keeps, other seeds, a refusal and a last comparison.
struct Story {
  base::FakeClock clock;
  MadeUpProgram program{clock, [](int workers, int prefetch) {
                          Behaviour behaviour;
                          behaviour.samples_per_s = 100.0 * (1 + std::min(workers, 2));
                          if (prefetch > 2) behaviour.failure = "hung";
                          return behaviour;
                        }};
  Archive archive;
  SameAgain trials{program, archive};
  Silent silent;
  TuneOptions options;
  Story() {
    program.advise = [](int workers, int) {
      return MadeUpProgram::Advice{workers_advice(workers, workers + 1, 1.5),
                                   advice("dataloader.prefetch_factor", "2", "4", 1.1)};
    };
  }
  base::Result<run::TuneReport> go(std::size_t interrupt_after = 0) {
    trials.begin(interrupt_after);
    JournaledTrials journaled(trials, archive, archive.journal());
    return tune(journaled, options, clock, silent);
  }
};

TEST(JournaledTrialsProperty, InterruptedAnywhereAndResumedItEndsTheSame) {
  Story straight;
  const auto expected = straight.go();
  ASSERT_TRUE(expected && expected->final);
  const std::size_t all = straight.trials.made;
  ASSERT_GT(all, 10U);
  // The last comparison is made in one go: four trials, and the interrupted one.
  for (std::size_t k = 5; k <= all; ++k) {
    Story story;
    std::size_t made = 0;
    auto report = story.go(k);  // trial k is cut off, and made again
    for (int times = 0; !report || report->interrupted; ++times) {
      ASSERT_LT(times, 100);
      made += story.trials.made;
      report = story.go(k);
    }
    ASSERT_EQ(text_of(*report), text_of(*expected)) << "interrupted after every " << k;
    const std::size_t interruptions = made / k;
    // Each interruption costs one trial, and one in the last comparison all of that.
    EXPECT_LE(made + story.trials.made, all + interruptions * 4) << k;
  }
}

TEST(JournaledTrials, WhatIsLostIsMadeAnewFromThereOn) {
  Story story;
  ASSERT_TRUE(story.go(8)->interrupted);
  ASSERT_EQ(story.archive.journal().trials.size(), 7U);
  story.archive.lost = "run5";
  const auto report = story.go();
  ASSERT_TRUE(report);
  EXPECT_EQ(story.archive.taken_over, 4U);
  EXPECT_THAT(story.archive.why, HasSubstr("it is gone"));
  EXPECT_FALSE(report->interrupted);
  Story straight;
  EXPECT_EQ(text_of(*report), text_of(*straight.go()));
}

TEST(JournaledTrials, AFinishedTuneIsToldAgainWithoutATrial) {
  Story story;
  const auto first = story.go();
  story.archive.text += journal_end();
  const auto again = story.go();
  EXPECT_EQ(story.trials.made, 0U);
  EXPECT_EQ(text_of(*again), text_of(*first));
  EXPECT_FALSE(story.archive.taken_over) << "nothing went on";
}

TEST(JournaledTrials, AnotherQuestionIsAnsweredByANewTrial) {
  Story story;
  ASSERT_TRUE(story.go(8)->interrupted);
  story.options.steps = 64;
  const auto report = story.go();
  ASSERT_TRUE(report);
  EXPECT_EQ(story.archive.taken_over, 0U);
  EXPECT_THAT(story.archive.why, HasSubstr("another"));
}

}  // namespace
}  // namespace flatout::apply
