// Whole files of other trackers, written here by hand, through their readers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "trackers/find_runs.h"
#include "trackers/tensorboard/record_file.h"

namespace flatout::trackers {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

struct Recorded final : ImportSink {
  ImportedHead head;
  int begun = 0;
  std::vector<ImportedValue> all;
  std::vector<std::pair<std::string, std::string>> facts;
  std::vector<std::string> files;
  std::vector<std::string> notes;
  std::optional<ImportedEnd> how;
  std::optional<int> exit_code;
  std::int64_t end_ns = 0;

  base::Result<void> begin(const ImportedHead& said) override {
    ++begun;
    head = said;
    return {};
  }
  base::Result<void> values(std::span<const ImportedValue> values) override {
    all.insert(all.end(), values.begin(), values.end());
    return {};
  }
  base::Result<void> fact(std::string_view key, std::string json, std::int64_t) override {
    facts.emplace_back(key, std::move(json));
    return {};
  }
  base::Result<std::string> file(std::string_view bytes, std::string_view extension) override {
    files.emplace_back(bytes);
    return "kept." + std::string(extension);
  }
  base::Result<void> end(ImportedEnd said, std::optional<int> code, std::int64_t wall) override {
    how = said;
    exit_code = code;
    end_ns = wall;
    return {};
  }
  void note(std::string line) override { notes.push_back(std::move(line)); }

  // The last one of this key.
  std::string fact_of(std::string_view key) const {
    std::string found;
    for (const auto& [name, json] : facts) {
      if (name == key) found = json;
    }
    return found;
  }
};

std::string varint(std::uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  return out + static_cast<char>(value);
}
std::string number(std::uint32_t field, std::uint64_t value) {
  return varint(field << 3) + varint(value);
}
std::string text(std::uint32_t field, const std::string& bytes) {
  return varint(field << 3 | 2) + varint(bytes.size()) + bytes;
}
template <typename Value>
std::string fixed(std::uint32_t field, Value value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return varint(field << 3 | (sizeof value == 8 ? 1 : 5)) + bytes;
}
template <typename Value>
std::string raw(Value value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

class Trackers : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    root_ = fs::temp_directory_path() /
            ("trackers." + std::string(test->name()) + "." + std::to_string(::getpid()));
    fs::remove_all(root_);
    fs::create_directories(root_);
  }
  void TearDown() override { fs::remove_all(root_); }

  fs::path put(const std::string& name, const std::string& bytes) {
    const fs::path path = root_ / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  Recorded read(const fs::path& path) {
    Recorded sink;
    const auto found = find_runs(path);
    EXPECT_TRUE(found) << (found ? "" : found.error().message);
    if (!found || found->size() != 1) return sink;
    const auto done = read_found(found->front(), nullptr, sink);
    if (!done) error_ = done.error().message;
    return sink;
  }

  fs::path root_;
  std::string error_;
};

// --- TensorBoard ---

std::string record(const std::string& event) {
  const std::string length = raw<std::uint64_t>(event.size());
  return length + raw(tensorboard::masked_crc(length)) + event +
         raw(tensorboard::masked_crc(event));
}
std::string event(double wall, std::int64_t step, const std::string& value) {
  return fixed(1, wall) + number(2, static_cast<std::uint64_t>(step)) + text(5, text(1, value));
}
const std::string kVersion = record(fixed(1, 1000.0) + text(3, "brain.Event:2"));

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

// --- wandb ---

std::string piece(char type, const std::string& bytes) {
  const std::string all = type + bytes;
  const auto crc = static_cast<std::uint32_t>(
      ::crc32(0, reinterpret_cast<const Bytef*>(all.data()), static_cast<uInt>(all.size())));
  return raw(crc) + raw(static_cast<std::uint16_t>(bytes.size())) + type + bytes;
}

// As its writer cuts records: pieces that end with their block.
std::string log_of(const std::vector<std::string>& records) {
  constexpr std::size_t kBlock = 32768, kHead = 7;
  std::string out(":W&B\xe1\xbe\0", 7);
  for (const std::string& whole : records) {
    if (kBlock - out.size() % kBlock < kHead) out.append(kBlock - out.size() % kBlock, '\0');
    std::size_t at = 0;
    do {
      const std::size_t room = kBlock - out.size() % kBlock - kHead;
      const std::size_t n = std::min(room, whole.size() - at);
      const bool first = at == 0, last = at + n == whole.size();
      out += piece(static_cast<char>(first && last ? 1
                                     : first       ? 2
                                     : last        ? 4
                                                   : 3),
                   whole.substr(at, n));
      at += n;
    } while (at < whole.size());
  }
  return out;
}

std::string item(const std::string& key, const std::string& json) {
  return text(1, key) + text(16, json);
}
std::string history(int step, double time, const std::vector<std::string>& items) {
  std::string body = text(1, item("_step", std::to_string(step))) +
                     text(1, item("_timestamp", std::to_string(time)));
  for (const std::string& one : items) body += text(1, one);
  return text(2, body);
}
const std::string kRun = text(
    17, text(1, "3k2f9x1c") + text(3, "mnist") + text(6, "sweep") + text(8, "brisk-wave") +
            text(10, "base") + text(10, "gpu") + text(13, "node7") + text(17, number(1, 1000)) +
            text(4, text(1, item("lr", "0.1")) + text(1, item("_wandb", "{}"))));

TEST_F(Trackers, ARunOfWandb) {
  put("wandb/offline-run-1/run-3k2f9x1c.wandb",
      log_of(
          {text(21, ""), kRun,
           text(5, text(1, text(2, "model") + text(2, "depth") + text(16, "18"))),
           history(0, 1001, {item("loss", "0.5"), item("eval", R"({"acc":0.25,"top5":NaN})")}),
           history(1, 1002, {item("loss", "Infinity"), item("note", "\"warm\"")}),
           text(12, text(2, "eval.*") + text(4, "epoch") + text(6, number(1, 1)) +
                        text(7, number(1, 1) + number(3, 1)) + number(8, 1)),
           text(3, text(1, item("best", "0.9")) + text(1, item("eval", R"({"acc":{"min":0.2}})"))),
           text(10, text(1, "Low") + text(2, "below") + text(3, "WARN")),
           text(7, text(2, number(1, 1003)) + text(3, item("gpu.0.gpu", "97"))),
           text(18, number(1, 3))}));
  const Recorded run = read(root_);
  EXPECT_EQ(error_, "");
  EXPECT_EQ(run.head.id, "3k2f9x1c");
  EXPECT_EQ(run.head.name, "brisk-wave");
  EXPECT_EQ(run.head.project, "mnist");
  EXPECT_THAT(run.head.tags, ElementsAre("base", "gpu"));
  EXPECT_EQ(run.head.started_wall_ns, 1'000'000'000'000);
  std::map<std::string, double> last;
  for (const ImportedValue& value : run.all) last[value.name] = value.value;
  EXPECT_EQ(last["eval.acc"], 0.25);
  EXPECT_TRUE(std::isnan(last["eval.top5"]));
  EXPECT_TRUE(std::isinf(last["loss"]));
  EXPECT_EQ(last["system/gpu.0.gpu"], 97);
  EXPECT_EQ(run.all[0].step, 0);
  EXPECT_EQ(run.all[0].wall_ns, 1'001'000'000'000);
  EXPECT_EQ(run.fact_of("track_row"), R"({"step":1,"data":{"note":"warm"}})");
  EXPECT_EQ(run.facts[0].second, R"({"name":"system/*","hidden":true,"summary":"none"})");
  EXPECT_EQ(run.facts[1].second, R"({"set":{"lr":0.1}})");
  EXPECT_EQ(run.facts[2].second, R"({"set":{"model":{"depth":18}}})");
  EXPECT_EQ(run.fact_of("track_metric"),
            R"({"name":"eval.*","step_metric":"epoch","step_sync":true,"goal":"minimize",)"
            R"("summary":"min,mean"})");
  EXPECT_EQ(run.fact_of("track_summary"), R"({"set":{"best":0.9,"eval.acc.min":0.2}})");
  EXPECT_EQ(run.fact_of("track_alert"), R"({"title":"Low","text":"below","level":"WARN"})");
  EXPECT_EQ(run.how, ImportedEnd::kFailed);
  EXPECT_EQ(run.exit_code, 3);
}

// As current versions log what is nested: each leaf with its path.
TEST_F(Trackers, PicturesThatWandbNamesLeafByLeaf) {
  const auto leaf = [](const std::string& key, const std::string& json) {
    return text(2, "img") + text(2, key) + text(16, json);
  };
  put("files/media/images/a.png", "picture");
  put("run-a.wandb",
      log_of({kRun, history(0, 1001,
                            {leaf("_type", "\"image-file\""),
                             leaf("path", "\"media/images/a.png\""), leaf("width", "8")})}));
  const Recorded run = read(root_);
  EXPECT_THAT(run.files, ElementsAre("picture"));
  EXPECT_TRUE(run.all.empty());
  EXPECT_EQ(run.fact_of("track_row"),
            R"({"step":0,"data":{"img":{"_type":"image","path":"media/images/a.png","width":8,)"
            R"("file":"kept.png"}}})");
}

TEST_F(Trackers, RecordsThatAreCutIntoPieces) {
  const std::string large(100'000, 'x');
  put("run-a.wandb", log_of({kRun, history(0, 1001, {item("text", "\"" + large + "\"")}),
                             history(1, 1002, {item("loss", "1")})}));
  const Recorded run = read(root_);
  EXPECT_THAT(run.fact_of("track_row"), HasSubstr(large));
  ASSERT_EQ(run.all.size(), 1U);
  EXPECT_EQ(run.all[0].step, 1);
  EXPECT_EQ(run.how, ImportedEnd::kNotSaid);
}

TEST_F(Trackers, DamageInTheMiddleLosesItsBlockAlone) {
  std::vector<std::string> records = {kRun};
  for (int step = 0; step < 3000; ++step)
    records.push_back(history(step, 1001, {item("loss", "1")}));
  std::string bytes = log_of(records);
  bytes[40'000] ^= 1;
  put("run-a.wandb", bytes);
  const Recorded run = read(root_);
  EXPECT_LT(run.all.size(), 3000U);
  EXPECT_GT(run.all.size(), 2000U);
  EXPECT_THAT(run.notes, testing::Contains(HasSubstr("damaged")));
  EXPECT_EQ(run.all.back().step, 2999);
}

TEST_F(Trackers, EveryLogThatIsCutShortEnds) {
  const std::string bytes = log_of({kRun, history(0, 1001, {item("loss", "0.5")}), text(18, "")});
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    put("run-a.wandb", bytes.substr(0, length));
    error_.clear();
    const Recorded run = read(root_);
    EXPECT_TRUE(run.begun == 1 || !error_.empty()) << length;
    EXPECT_EQ(run.exit_code, std::nullopt);
  }
}

TEST_F(Trackers, AFileOutsideOfTheLogsFolderIsNotRead) {
  put("secret.png", "secret");
  put("a/run-a.wandb",
      log_of({kRun, history(0, 1001,
                            {item("img", R"({"_type":"image-file","path":"../../secret.png"})"),
                             item("abs", R"({"_type":"image-file","path":"/etc/hostname"})")})}));
  const Recorded run = read(root_ / "a");
  EXPECT_TRUE(run.files.empty());
  EXPECT_THAT(run.notes, testing::Contains(HasSubstr("2 files of a log()")));
}

// --- MLflow ---

TEST_F(Trackers, ARunOfMlflow) {
  put("mlruns/1/meta.yaml", "artifact_location: x\nname: 'my experiment'\n");
  const std::string run_folder = "mlruns/1/0123abcd/";
  put(run_folder + "meta.yaml",
      "end_time: 1700000009000\nrun_id: 0123abcd\nrun_name: calm-dog\nstart_time: 1700000000000\n"
      "status: 4\n");
  put(run_folder + "params/lr", "0.1");
  put(run_folder + "params/optimizer", "adam");
  put(run_folder + "metrics/loss", "1700000001000 0.5 0\n1700000002000 nan 1\nnonsense\n");
  put(run_folder + "metrics/eval/acc", "1700000003000 0.75\n");
  put(run_folder + "tags/mlflow.note.content", "a note");
  put(run_folder + "tags/stage", "dev");
  put(run_folder + "artifacts/model.pkl", "x");
  const Recorded run = read(root_);
  EXPECT_EQ(error_, "");
  EXPECT_EQ(run.head.project, "my experiment");
  EXPECT_EQ(run.head.name, "calm-dog");
  EXPECT_EQ(run.head.notes, "a note");
  EXPECT_THAT(run.head.tags, ElementsAre("stage=dev"));
  EXPECT_EQ(run.fact_of("track_config"), R"({"set":{"lr":0.1,"optimizer":"adam"}})");
  ASSERT_EQ(run.all.size(), 3U);
  EXPECT_EQ(run.all[0].name, "eval/acc");
  EXPECT_EQ(run.all[0].step, std::nullopt);
  EXPECT_EQ(run.all[1].value, 0.5);
  EXPECT_TRUE(std::isnan(run.all[2].value));
  EXPECT_EQ(run.how, ImportedEnd::kFailed);
  EXPECT_EQ(run.end_ns, 1'700'000'009'000'000'000);
  EXPECT_THAT(run.notes, ElementsAre(HasSubstr("1 lines are not"), HasSubstr("1 artifacts")));
}

// --- finding them ---

TEST_F(Trackers, ManyOfAllKindsInOneFolder) {
  put("tb/a/events.out.tfevents.1", kVersion);
  put("tb/a/events.out.tfevents.2", kVersion);
  put("tb/b/events.out.tfevents.1", kVersion);
  put("wandb/run-1/run-x.wandb", log_of({kRun}));
  put("mlruns/0/r/meta.yaml", "run_id: r\n");
  put("mlruns/0/r/metrics/loss", "1 1 1\n");
  fs::create_directory_symlink(root_ / "tb", root_ / "again");
  const auto found = find_runs(root_);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 4U);
  EXPECT_EQ((*found)[1].name, "tb/a");
  EXPECT_EQ((*found)[1].files.size(), 2U);
}

TEST_F(Trackers, APathWithoutAnySaysWhatWasLookedFor) {
  put("readme.txt", "x");
  EXPECT_THAT(find_runs(root_).error().message, HasSubstr("events.out.tfevents"));
  EXPECT_THAT(find_runs(root_ / "nothing").error().message, HasSubstr("is not there"));
}

TEST_F(Trackers, APipeOrALinkIsNotWaitedFor) {
  ASSERT_EQ(::mkfifo((root_ / "events.out.tfevents.1").c_str(), 0600), 0);
  EXPECT_FALSE(find_runs(root_));
}

}  // namespace
}  // namespace flatout::trackers
