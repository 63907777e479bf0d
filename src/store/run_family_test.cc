#include "store/run_family.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "base/process.h"
#include "store/disk.h"
#include "store/log_file.h"
#include "store/retention.h"
#include "store/run_list.h"
#include "store/run_writer.h"
#include "store/store_fixture.h"

namespace flatout::store {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

CatalogEntry entry_of(const std::string& id, std::int64_t started_s,
                      const std::string& parent = "") {
  CatalogEntry entry;
  entry.id = id;
  entry.parent = parent;
  entry.state = run::RunState::kFinished;
  entry.started_wall_ns = started_s * base::kSecond;
  entry.duration_ns = 10 * base::kSecond;
  entry.bytes = 100;
  return entry;
}

std::vector<std::string> family_ids(const std::vector<CatalogEntry>& runs) {
  std::vector<std::string> out;
  for (const auto& one : runs) out.push_back(one.id);
  return out;
}

// In the order in which they go.
std::vector<std::string> all_ids(const std::vector<RunFamily>& families) {
  std::vector<std::string> out;
  for (const auto& family : families) std::ranges::copy(ids_of(family), std::back_inserter(out));
  return out;
}

// Newest first, as a catalog lists them: a tune "tune" with two trials around a plain run.
std::vector<CatalogEntry> listed() {
  return {entry_of("last", 400), entry_of("try2", 300, "tune"),
          entry_of("mine", 250), entry_of("try1", 200, "tune"),
          entry_of("tune", 100), entry_of("lone", 50, "gone")};
}

TEST(RunFamilies, ATuneIsOneAndItsTrialsComeInTheOrderInWhichTheyRan) {
  const auto found = families(listed());
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[2].run.id, "tune");
  EXPECT_THAT(family_ids(found[2].trials), ElementsAre("try1", "try2"));
  EXPECT_EQ(found[3].run.id, "lone") << "its tune was removed: it stands by itself";
  EXPECT_EQ(bytes_of(found[2]), 300U);
  EXPECT_EQ(duration_of(found[2]), 210 * base::kSecond);
  EXPECT_THAT(families({entry_of("self", 1, "self")})[0].trials, IsEmpty())
      << "nobody's own parent";
}

TEST(RunFamilies, ATrialOfATrialIsOneOfTheFirst) {
  const auto found = families({entry_of("late", 400, "try1"), entry_of("other", 300),
                               entry_of("try1", 200, "tune"), entry_of("tune", 100)});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[1].run.id, "tune");
  EXPECT_THAT(family_ids(found[1].trials), ElementsAre("try1", "late"));
  EXPECT_THAT(family_ids(found[0].trials), IsEmpty());
}

TEST(RunFamilies, OfACircleOfParentsNoneIsLost) {
  const auto found = families({entry_of("b", 300, "a"), entry_of("a", 200, "b"),
                               entry_of("c", 100, "a"), entry_of("mine", 50)});
  EXPECT_THAT(all_ids(found), ElementsAre("b", "c", "a", "mine"));
  EXPECT_EQ(found.size(), 3U);
}

TEST(Retention, ATuneGoesAsAWholeOrNotAtAll) {
  const auto now = 420 * base::kSecond;
  EXPECT_THAT(all_ids(expired(listed(), {.older_than = 120 * base::kSecond}, now)),
              ElementsAre("lone", "mine"))
      << "the last trial of the tune ended 110 s ago";
  EXPECT_THAT(all_ids(expired(listed(), {.older_than = 105 * base::kSecond}, now)),
              ElementsAre("lone", "try1", "try2", "tune", "mine"));
  auto tagged = listed();
  tagged[1].meta.tags = {"keep"};
  EXPECT_THAT(
      all_ids(expired(tagged, {.older_than = 105 * base::kSecond, .keep_tagged = true}, now)),
      ElementsAre("lone", "mine"))
      << "a tag on a trial keeps its tune";
  tagged[1].meta.tags = {};
  tagged[1].meta.tracked = TrackedHeadline{};
  tagged[1].meta.tracked->tags = {"keep"};
  EXPECT_THAT(
      all_ids(expired(tagged, {.older_than = 105 * base::kSecond, .keep_tagged = true}, now)),
      ElementsAre("lone", "mine"))
      << "so does one of the script";
  auto running = listed();
  running[3].state = run::RunState::kRunning;
  EXPECT_THAT(all_ids(expired(running, {.older_than = 105 * base::kSecond}, now)),
              ElementsAre("lone", "mine"));
}

TEST(Retention, WhatIsStillGoingOnStays) {
  const auto now = 1000 * base::kSecond;
  std::vector<std::string> asked;
  const RetentionPolicy policy{.older_than = 500 * base::kSecond,
                               .in_use = [&asked](const std::string& id) {
                                 asked.push_back(id);
                                 return id == "tune";
                               }};
  EXPECT_THAT(all_ids(expired(listed(), policy, now)), ElementsAre("lone", "mine", "last"));
  EXPECT_THAT(asked, testing::UnorderedElementsAre("lone", "tune", "mine", "last"))
      << "of trials nobody asks";
}

class FamilyOnDisk : public testing::Test {
 protected:
  std::string record(std::int64_t started, const std::string& parent = "") {
    auto writer = RunWriter::open(home, clock);
    auto info = sample_info(writer->id());
    info.started_wall_ns = started;
    info.host = from.host;
    if (!parent.empty()) info.parent = parent;
    EXPECT_TRUE(writer->begin(info));
    EXPECT_TRUE(writer->end({}));
    return writer->id();
  }

  ScratchFolder scratch;
  Home home = Home::at(scratch.path() / "home");
  base::FakeClock clock;
  Viewpoint from = viewpoint_here();
};

TEST_F(FamilyOnDisk, TheLatestIsWhatAUserStarted) {
  const auto older = record(100);
  const auto tune = record(200);
  const auto trial = record(300, tune);
  EXPECT_EQ(find_run(home, "latest", from), tune);
  EXPECT_EQ(find_run(home, trial, from), trial) << "by its id a trial is found";
  const auto mine = record(250);
  EXPECT_EQ(find_run(home, "latest", from), mine);
  ASSERT_TRUE(remove_run(home, tune, from));
  EXPECT_EQ(find_run(home, "latest", from), trial) << "of a tune that is gone it is all there is";
  EXPECT_TRUE(find_run(home, older, from));
}

TEST_F(FamilyOnDisk, IsRemovedWithItsTrialsAndNothingElse) {
  const auto tune = record(100);
  const auto first = record(200, tune);
  const auto other = record(300);
  EXPECT_THAT(with_trials(home, tune, from).value(), testing::UnorderedElementsAre(first, tune));
  EXPECT_EQ(with_trials(home, tune, from)->back(), tune) << "it goes last";
  EXPECT_THAT(with_trials(home, first, from).value(), ElementsAre(first)) << "a trial goes alone";
  const auto second = record(400, tune);
  const auto below = record(500, second);
  EXPECT_THAT(with_trials(home, second, from).value(), ElementsAre(below, second));
  EXPECT_TRUE(remove_family(home, with_trials(home, tune, from).value(), from));
  EXPECT_THAT(home.ids().value(), ElementsAre(other));
}

TEST_F(FamilyOnDisk, TheLatestIsFirstOfWhatIsBelowItToo) {
  const auto tune = record(100);
  const auto trial = record(200, tune);
  record(300, trial);
  EXPECT_EQ(find_run(home, "latest", from), tune);
}

TEST_F(FamilyOnDisk, OneThatIsStillWrittenKeepsAllOfThem) {
  const auto tune = record(100);
  const auto done = record(200, tune);
  auto writer = RunWriter::open(home, clock);
  auto info = sample_info(writer->id());
  info.parent = tune;
  const auto self = base::process_id(::getpid());
  info.recorder_pid = self->pid;
  info.recorder_start_ticks = self->start_ticks;
  info.boot_id = base::boot_id();
  ASSERT_TRUE(writer->begin(info));
  const auto removed = remove_family(home, with_trials(home, tune, from).value(), from);
  ASSERT_FALSE(removed);
  EXPECT_EQ(removed.error().code, base::ErrorCode::kExists);
  EXPECT_TRUE(fs::exists(home.folder(tune)) && fs::exists(home.folder(done)));
}

// The catalog has them as ended; somebody holds the log of one all the same.
TEST_F(FamilyOnDisk, RetentionRemovesAllOfThemOrNone) {
  const auto tune = record(100);
  const auto first = record(200, tune);
  const auto second = record(300, tune);
  const RetentionPolicy policy{.older_than = base::kSecond};
  {
    const auto log = system_disk().open(log_path(home.folder(second)));
    ASSERT_TRUE(log && (*log)->lock());
    const auto removed = remove_expired(home, policy, from);
    ASSERT_TRUE(removed);
    EXPECT_TRUE(removed->families.empty());
    EXPECT_THAT(removed->problems, ElementsAre(testing::HasSubstr(second)));
    EXPECT_EQ(home.ids()->size(), 3U);
  }
  const auto removed = remove_expired(home, policy, from);
  EXPECT_THAT(all_ids(removed->families), ElementsAre(first, second, tune));
  EXPECT_THAT(home.ids().value(), IsEmpty());
}

TEST_F(FamilyOnDisk, ThatBeginsAgainAfterItWasListedStays) {
  const auto tune = record(100);
  int asked = 0;
  const RetentionPolicy policy{.older_than = base::kSecond,
                               .in_use = [&asked](const std::string&) { return ++asked > 1; }};
  const auto removed = remove_expired(home, policy, from);
  ASSERT_TRUE(removed);
  EXPECT_TRUE(removed->families.empty() && removed->problems.empty());
  EXPECT_THAT(home.ids().value(), ElementsAre(tune));
}

TEST_F(FamilyOnDisk, ItsKindIsThatOfTheFilesInItsFolder) {
  const auto id = record(1);
  EXPECT_EQ(family_kind(home.folder(id)), FamilyKind::kRun);
  std::ofstream(home.folder(id) / kSearchJournalName) << "x";
  EXPECT_EQ(family_kind(home.folder(id)), FamilyKind::kSearch);
  std::ofstream(home.folder(id) / kTuneReportName) << "x";
  EXPECT_EQ(family_kind(home.folder(id)), FamilyKind::kTune);
  EXPECT_EQ(family_kind(home.folder("none")), FamilyKind::kRun);
}

TEST_F(FamilyOnDisk, WhatWasMeantIsNamed) {
  auto writer = RunWriter::open(home, clock);
  auto info = sample_info(writer->id());
  info.name = "baseline";
  info.host = from.host;
  ASSERT_TRUE(writer->begin(info));
  const auto found = find_run(home, "basline", from);
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().message.find("did you mean 'baseline'?"), std::string::npos)
      << found.error().message;
  EXPECT_NE(find_run(home, "lastest", from).error().message.find("'latest'?"), std::string::npos);
}

}  // namespace
}  // namespace flatout::store
