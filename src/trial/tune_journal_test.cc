#include "trial/tune_journal.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "launch/secrets.h"
#include "store/store_fixture.h"

namespace flatout::trial {
namespace {

// A tune of `options` that was interrupted in /here.
class TuneJournal : public testing::Test {
 protected:
  void begun_by(const TuneOptions& options) {
    const auto head =
        apply::JournalHead{.started_ns = 1,
                           .command = launch::stored_command(options.command, options.argv),
                           .folder = "/here",
                           .options = deciding_options(options)};
    const auto file = home().folder("aaaa") / kJournalFile;
    std::filesystem::create_directories(file.parent_path());
    ASSERT_TRUE(base::write_file_atomic(file, apply::journal_line(head)));
  }
  store::Home home() const { return store::Home::at(scratch_.path()); }

 private:
  store::ScratchFolder scratch_;
};

TuneOptions of(std::vector<std::string> command, bool argv) {
  TuneOptions options;
  options.command = std::move(command);
  options.argv = argv;
  options.resume = true;
  return options;
}

TEST_F(TuneJournal, WithoutArgumentsGoesOnWithItsOwnCommandOnly) {
  begun_by(of({"python", "a.py", "word77"}, false));
  const auto file = base::read_file(home().folder("aaaa") / kJournalFile);
  ASSERT_TRUE(file);
  EXPECT_FALSE(file->contains("word77")) << *file;

  EXPECT_FALSE(find_interrupted(home(), of({"python", "b.py", "word77"}, false), "/here"));
  const auto found = find_interrupted(home(), of({"python", "a.py", "word77"}, true), "/here");
  ASSERT_TRUE(found) << found.error().message;
  const auto taken = taken_over(of({"python", "a.py", "word77"}, true), found->journal);
  ASSERT_TRUE(taken) << taken.error().message;
  EXPECT_FALSE(taken->argv) << "what goes on keeps none, too";
}

TEST_F(TuneJournal, WhatGoesOnCapturesTheSame) {
  TuneOptions began = of({"python", "a.py"}, true);
  began.capture = {"wandb", "mlflow"};
  begun_by(began);
  const auto found = find_interrupted(home(), of({"python", "a.py"}, true), "/here");
  ASSERT_TRUE(found) << found.error().message;
  const auto taken = taken_over(of({}, true), found->journal);
  ASSERT_TRUE(taken) << taken.error().message;
  EXPECT_EQ(taken->capture, began.capture);
  TuneOptions other = of({}, true);
  other.capture = {"wandb"};
  other.given = {"--capture"};
  const auto refused = taken_over(other, found->journal);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().message.contains("--capture wandb,mlflow"))
      << refused.error().message;
}

TEST_F(TuneJournal, WithoutArgumentsTheCommandMustBeWrittenAgain) {
  begun_by(of({"python", "a.py"}, false));
  const auto found = find_interrupted(home(), of({}, true), "/here");
  ASSERT_TRUE(found) << found.error().message;
  const auto taken = taken_over(of({}, true), found->journal);
  ASSERT_FALSE(taken);
  EXPECT_TRUE(taken.error().message.contains("write the command again")) << taken.error().message;
}

TEST_F(TuneJournal, WithArgumentsTheCommandIsTakenOver) {
  begun_by(of({"python", "a.py"}, true));
  const auto found = find_interrupted(home(), of({}, true), "/here");
  ASSERT_TRUE(found) << found.error().message;
  const auto taken = taken_over(of({}, true), found->journal);
  ASSERT_TRUE(taken) << taken.error().message;
  EXPECT_EQ(taken->command, (std::vector<std::string>{"python", "a.py"}));
}

TEST_F(TuneJournal, ATuneOnNodesGoesOnThere) {
  TuneOptions slurm = of({"python", "a.py"}, true);
  slurm.launcher.kind = "slurm";
  slurm.launcher.slurm = "-p gpu";
  begun_by(slurm);
  const auto found = find_interrupted(home(), of({}, true), "/here");
  ASSERT_TRUE(found) << found.error().message;
  const auto taken = taken_over(of({}, true), found->journal);
  ASSERT_TRUE(taken) << taken.error().message;
  EXPECT_EQ(taken->launcher.kind, "slurm");
  EXPECT_EQ(taken->launcher.slurm, "-p gpu");

  TuneOptions elsewhere = of({}, true);
  elsewhere.given = {"--launcher"};
  const auto refused = taken_over(elsewhere, found->journal);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().message.contains("--launcher slurm")) << refused.error().message;

  TuneOptions another_queue = of({}, true);
  another_queue.given = {"--slurm"};
  another_queue.launcher.slurm = "-p cpu";
  const auto moved = taken_over(another_queue, found->journal);
  ASSERT_TRUE(moved) << moved.error().message;
  EXPECT_EQ(moved->launcher.slurm, "-p cpu");
}

TEST(StoryInUse, WhileATuneOrASearchHoldsItsJournal) {
  const store::ScratchFolder scratch;
  for (const auto name : {store::kTuneJournalName, store::kSearchJournalName}) {
    const auto folder = scratch.path() / name;
    std::filesystem::create_directories(folder);
    EXPECT_FALSE(story_in_use(folder)) << "there is none";
    {
      JournalFile journal("tune", [](const std::string& line) { ADD_FAILURE() << line; });
      journal.append(folder / name, "{}\n");
      EXPECT_TRUE(story_in_use(folder)) << name;
    }
    EXPECT_FALSE(story_in_use(folder)) << "it has ended: " << name;
  }
}

}  // namespace
}  // namespace flatout::trial
