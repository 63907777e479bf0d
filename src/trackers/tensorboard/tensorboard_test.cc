// Event files of TensorBoard, written here by hand, through their reader.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "trackers/tracker_files.h"
#include "trackers/tracker_fixture.h"

namespace flatout::trackers {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

TEST_F(Trackers, ScalarsOfBothKinds) {
  const std::string old_kind = text(1, "loss") + fixed(2, 0.5F);
  const std::string plugin = text(9, text(1, text(1, "scalars")));
  const std::string tensor = text(1, "acc") + text(8, number(1, 1) + text(4, raw(0.25F))) + plugin;
  const std::string packed = text(1, "acc") + text(8, number(1, 1) + text(5, raw(0.75F))) + plugin;
  put("exp/events.out.tfevents.1000.node7.12.0", kVersion + record(event(1001, 0, old_kind)) +
                                                     record(event(1002.5, 10, tensor)) +
                                                     record(event(1003, 20, packed)));
  const Recorded run = read(root_);
  EXPECT_EQ(error_, "");
  EXPECT_EQ(run.head.source, "tensorboard");
  EXPECT_EQ(run.head.name, "exp");
  EXPECT_EQ(run.head.host, "node7");
  EXPECT_EQ(run.head.started_wall_ns, 1'000'000'000'000);
  ASSERT_EQ(run.all.size(), 3U);
  EXPECT_EQ(run.all[0].name, "loss");
  EXPECT_EQ(run.all[0].value, 0.5);
  EXPECT_EQ(run.all[0].step, 0);
  EXPECT_EQ(run.all[1].wall_ns, 1'002'500'000'000);
  EXPECT_EQ(run.all[1].value, 0.25);
  EXPECT_EQ(run.all[2].value, 0.75);
  EXPECT_EQ(run.how, ImportedEnd::kNotSaid);
  EXPECT_EQ(run.end_ns, 1'003'000'000'000);
}

TEST_F(Trackers, TextPicturesHistogramsAndHyperparameters) {
  const std::string said = text(1, "note") + text(8, number(1, 7) + text(8, "hello")) +
                           text(9, text(1, text(1, "text")));
  const std::string picture = text(1, "img") + text(4, text(4, "\x89PNG..."));
  const std::string histogram =
      text(1, "h") + text(5, text(6, raw(1.0) + raw(2.0)) + text(7, raw(3.0) + raw(4.0)));
  const std::string entry = text(1, "lr") + text(2, fixed(2, 0.1));
  const std::string hparams =
      text(1, "_hparams_/session_start_info") +
      text(9, text(1, text(1, "hparams") + text(2, text(3, text(1, entry)))));
  put("events.out.tfevents.1",
      kVersion + record(event(1001, 1, said)) + record(event(1002, 2, picture)) +
          record(event(1003, 3, histogram)) + record(event(1004, 4, hparams)));
  const Recorded run = read(root_);
  ASSERT_EQ(run.facts.size(), 4U);
  EXPECT_EQ(run.facts[0].second, R"({"step":1,"data":{"note":"hello"}})");
  EXPECT_EQ(run.facts[1].second,
            R"({"step":2,"data":{"img":{"_type":"image","file":"kept.png"}}})");
  EXPECT_EQ(
      run.facts[2].second,
      R"({"step":3,"data":{"h":{"_type":"histogram","limits":[1.0,2.0],"counts":[3.0,4.0]}}})");
  EXPECT_EQ(run.fact_of("track_config"), R"({"set":{"lr":0.1}})");
  EXPECT_THAT(run.files, ElementsAre("\x89PNG..."));
}

TEST_F(Trackers, AFileThatIsStillWrittenIsReadSoFar) {
  const std::string whole = kVersion + record(event(1001, 1, text(1, "loss") + fixed(2, 1.0F)));
  for (const std::size_t cut : {1U, 11U, 13U, 20U}) {
    const std::string next = record(event(1002, 2, text(1, "loss") + fixed(2, 2.0F)));
    put("events.out.tfevents.1", whole + next.substr(0, cut));
    const Recorded run = read(root_);
    EXPECT_EQ(error_, "");
    EXPECT_EQ(run.all.size(), 1U);
    EXPECT_THAT(run.notes, ElementsAre(HasSubstr("ends in the middle")));
  }
}

TEST_F(Trackers, DamageIsSaidWithItsPlace) {
  std::string bytes = kVersion + record(event(1001, 1, text(1, "loss") + fixed(2, 1.0F)));
  const std::size_t at = bytes.size();
  bytes += record(event(1002, 2, text(1, "loss") + fixed(2, 2.0F)));
  bytes[at + 15] ^= 1;
  put("events.out.tfevents.1", bytes);
  const Recorded run = read(root_);
  EXPECT_EQ(run.all.size(), 1U);
  EXPECT_THAT(run.notes, ElementsAre(HasSubstr("byte " + std::to_string(at))));
  // Nothing of it can be read: an error, and no run.
  put("events.out.tfevents.1", "not a record at all, for certain");
  EXPECT_EQ(read(root_).begun, 0);
  EXPECT_THAT(error_, HasSubstr("byte 0"));
}

TEST_F(Trackers, ALengthBeyondTheFileAllocatesNothing) {
  const std::string length = raw<std::uint64_t>(std::uint64_t{1} << 60);
  put("events.out.tfevents.1", kVersion + length + raw(tensorboard::masked_crc(length)) + "x");
  EXPECT_THAT(read(root_).notes, ElementsAre(HasSubstr("larger than 64 MiB")));
}

}  // namespace
}  // namespace flatout::trackers
