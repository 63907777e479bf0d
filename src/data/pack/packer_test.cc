#include "data/pack/packer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <map>
#include <new>

#include "base/file.h"
#include "data/decode/jpeg/decoder.h"
#include "data/decode/jpeg/jpeg_for_test.h"
#include "data/decode/png/png_for_test.h"
#include "data/source/file_list.h"
#include "data/source/folder_fixture.h"
#include "data/source/packed_shards.h"

namespace flatout::data {
namespace {

using base::ErrorCode;
using testing::HasSubstr;

constexpr int kPictures = 23;
constexpr int kBad = 9;
constexpr int kPng = 7;

// Pictures of different sizes, one of them a PNG file, one of them none.
class PackTest : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    source_ = std::make_unique<FileList>((root_ / "from").string());
    for (int i = 0; i < kPictures; ++i) {
      JpegRecipe recipe{
          .width = 20 + 3 * i, .height = 50 - i, .seed = static_cast<std::uint64_t>(i)};
      if (i == 4) recipe.colour = JpegRecipe::Colour::kGrey;
      const auto file = i == kPng ? make_png({.width = recipe.width, .height = recipe.height}).file
                                  : make_jpeg(recipe);
      const std::string name = "x/" + std::to_string(i) + ".jpg";
      write("from/" + name,
            i == kBad ? "no picture"
                      : std::string_view(reinterpret_cast<const char*>(file.data()), file.size()));
      source_->add(name, i % 3);
    }
    options_ = {.form = {.kind = ShardKind::kJpeg, .size = 24, .quality = 80},
                .shard_bytes = 4000,
                .threads = 2};
  }

  base::Result<PackReport> run(const std::string& to, const OnPackProgress& on_progress = nullptr) {
    return pack(*source_, {"a", "b", "c"}, root_ / to, options_, on_progress);
  }

  // Of every file below: its bytes by name.
  std::map<std::string, std::string> files(const std::string& below) {
    std::map<std::string, std::string> out;
    for (const auto& entry : std::filesystem::directory_iterator(root_ / below))
      out[entry.path().filename().string()] = *base::read_file(entry.path());
    return out;
  }

  std::unique_ptr<FileList> source_;
  PackOptions options_;
  ReadBuffer buffer_;
};

TEST_F(PackTest, GivesTheSamplesResizedAndNamesTheBadOne) {
  const auto report = run("to");
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->samples, kPictures - 1);
  EXPECT_EQ(report->left_out, 1);
  ASSERT_EQ(report->named.size(), 1U);
  EXPECT_EQ(report->named[0].index, kBad);
  EXPECT_THAT(report->named[0].why, HasSubstr("x/9.jpg: neither a JPEG"));
  EXPECT_GE(report->shards, 3U);
  const auto set = PackedShards::open(root_ / "to");
  ASSERT_TRUE(set) << set.error().message;
  EXPECT_EQ((*set)->manifest().classes.size(), 3U);
  JpegDecoder decoder;
  for (std::int64_t i = 0; i < (*set)->size(); ++i) {
    const int from = static_cast<int>(i < kBad ? i : i + 1);
    EXPECT_EQ((*set)->short_name(i), "x/" + std::to_string(from) + ".jpg");
    EXPECT_EQ((*set)->label(i), from % 3);
    const auto info = decoder.open(*(*set)->read(i, buffer_));
    ASSERT_TRUE(info);
    EXPECT_EQ(std::min(info->width, info->height), std::min({24, 20 + 3 * from, 50 - from}));
    EXPECT_EQ(info->components, from == 4 ? 1 : 3);
  }
}

TEST_F(PackTest, TheBytesDoNotDependOnThreadsOrInterruptions) {
  options_.threads = 1;
  ASSERT_TRUE(run("one"));
  const auto expected = files("one");
  options_.threads = 5;
  ASSERT_TRUE(run("five"));
  EXPECT_EQ(files("five"), expected);
  // Ended after each sample in turn, and gone on with.
  int runs = 0;
  for (int stop = 1; stop <= kPictures; ++stop) {
    const auto report = run("again", [&](const PackProgress& at) { return at.done < stop; });
    if (report) continue;
    ++runs;
    EXPECT_THAT(report.error().message, HasSubstr("goes on"));
    EXPECT_FALSE(PackedShards::open(root_ / "again")) << "it is not whole";
  }
  EXPECT_GT(runs, 10);
  const auto report = run("again");
  ASSERT_TRUE(report);
  EXPECT_GT(report->kept_shards, 0U);
  EXPECT_EQ(report->left_out, 1);
  EXPECT_EQ(files("again"), expected);
}

TEST_F(PackTest, DamagedShardsAreMadeAgainAndTheOthersKept) {
  ASSERT_TRUE(run("to"));
  const auto expected = files("to");
  for (const std::string& name : {shard_data_name(1), shard_index_name(1)}) {
    std::string changed = expected.at(name);
    changed[changed.size() / 2] = static_cast<char>(changed[changed.size() / 2] ^ 32);
    write("to/" + name, changed);
    const auto report = run("to");
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->kept_shards + 1, report->shards) << name;
    EXPECT_EQ(report->samples, kPictures - 1);
    EXPECT_EQ(files("to"), expected) << name;
  }
}

TEST_F(PackTest, AnotherSetIsNotWrittenOver) {
  ASSERT_TRUE(run("to"));
  const auto expected = files("to");
  options_.form.quality = 81;
  EXPECT_EQ(run("to").error().code, ErrorCode::kExists);
  std::filesystem::remove(root_ / "to" / kPackManifestName);
  EXPECT_EQ(run("to").error().code, ErrorCode::kExists) << "nor one that is not finished";
  write("other/" + shard_data_name(0), "somebody's own file");
  EXPECT_EQ(run("other").error().code, ErrorCode::kExists);
  EXPECT_EQ(files("other").at(shard_data_name(0)), "somebody's own file");
}

TEST_F(PackTest, AnIndexOfSomebodysIsNotWrittenOver) {
  write("to/" + shard_index_name(0), "somebody's own index");
  const auto refused = run("to");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kExists);
  EXPECT_NE(refused.error().message.find("choose another folder"), std::string::npos);
  EXPECT_EQ(files("to").at(shard_index_name(0)), "somebody's own index");
  std::filesystem::create_directory(root_ / "links");
  std::filesystem::create_symlink(root_ / "to" / shard_index_name(0),
                                  root_ / "links" / shard_index_name(0));
  EXPECT_EQ(run("links").error().code, ErrorCode::kExists);
  EXPECT_TRUE(std::filesystem::is_symlink(root_ / "links" / shard_index_name(0)));
}

TEST_F(PackTest, PipesOfItsNamesAreNotWaitedFor) {
  ASSERT_TRUE(run("to"));
  for (const std::string& name : {shard_data_name(0), shard_index_name(0)}) {
    std::filesystem::remove(root_ / "to" / name);
    ASSERT_EQ(::mkfifo((root_ / "to" / name).c_str(), 0600), 0);
    const auto refused = run("to");
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message.find(name + " is no "), std::string::npos)
        << refused.error().message;
  }
}

// The samples of another source, of which one finds no memory, as long as there is none.
class ShortOfMemory final : public Source {
 public:
  explicit ShortOfMemory(const Source& from) : from_(from) {}
  std::int64_t size() const override { return from_.size(); }
  std::int64_t label(std::int64_t index) const override { return from_.label(index); }
  std::string name(std::int64_t index) const override { return from_.name(index); }
  std::string short_name(std::int64_t index) const override { return from_.short_name(index); }
  base::Result<std::span<const std::byte>> read(std::int64_t index,
                                                ReadBuffer& buffer) const override {
    if (index == 15) throw std::bad_alloc();
    return from_.read(index, buffer);
  }

 private:
  const Source& from_;
};

TEST_F(PackTest, WhatIsNoFaultOfASampleEndsItAndLeavesNothingOut) {
  ASSERT_TRUE(run("whole"));
  const ShortOfMemory lacking(*source_);
  const auto ended = pack(lacking, {"a", "b", "c"}, root_ / "to", options_, nullptr);
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, base::ErrorCode::kUnavailable);
  EXPECT_THAT(ended.error().message, HasSubstr("15.jpg"));
  const auto on = run("to");
  ASSERT_TRUE(on) << on.error().message;
  EXPECT_GT(on->kept_shards, 0);
  EXPECT_EQ(files("to"), files("whole"));
}

// As on a full disk: a write fails half-way. In a process of its own, whose limit it is.
TEST_F(PackTest, AFullDiskIsAnErrorAndItGoesOnWithRoom) {
  ASSERT_TRUE(run("whole"));
  options_.shard_bytes = 1 << 20;
  ASSERT_TRUE(run("one"));
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit least{5000, 5000};
    ::setrlimit(RLIMIT_FSIZE, &least);
    const auto full = run("to");
    ::_exit(!full && full.error().code == base::ErrorCode::kIo ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  ASSERT_TRUE(run("to"));
  EXPECT_EQ(files("to"), files("one"));
}

TEST_F(PackTest, OriginalFilesAreKeptByteForByte) {
  options_.form.kind = ShardKind::kOriginal;
  const auto report = run("to");
  ASSERT_TRUE(report);
  EXPECT_EQ(report->samples, kPictures) << "they are not looked at";
  const auto set = PackedShards::open(root_ / "to");
  ASSERT_TRUE(set);
  for (std::int64_t i = 0; i < kPictures; ++i) {
    const auto bytes = (*set)->read(i, buffer_);
    ASSERT_TRUE(bytes);
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size()),
              *base::read_file(source_->name(i)));
  }
}

TEST_F(PackTest, RawSamplesAreThePixelsOfTheFile) {
  options_.form = {.kind = ShardKind::kRaw, .size = 1000};
  const auto report = run("to");
  ASSERT_TRUE(report) << report.error().message;
  const auto set = PackedShards::open(root_ / "to");
  ASSERT_TRUE(set);
  const auto size = (*set)->raw_size(3);
  ASSERT_TRUE(size);
  const auto rows = (*set)->read_rows(3, 0, size->height, buffer_);
  ASSERT_TRUE(rows);
  const auto whole = libjpeg_pixels(make_jpeg({.width = 29, .height = 47, .seed = 3}));
  ASSERT_TRUE(whole);
  EXPECT_TRUE(is_box_of(*rows, *whole, {0, 0, 29, 47}));
}

TEST_F(PackTest, WhatCannotBeIsSaid) {
  options_.threads = 0;
  EXPECT_THAT(run("to").error().message, HasSubstr("threads: 0"));
  options_.threads = 1;
  options_.form.quality = 101;
  EXPECT_THAT(run("to").error().message, HasSubstr("quality: 101"));
  options_.form.quality = 90;
  write("file", "x");
  EXPECT_FALSE(run("file"));
  source_ = std::make_unique<FileList>();
  source_->add((root_ / "nowhere.jpg").string(), 0);
  EXPECT_THAT(run("to").error().message, HasSubstr("nowhere.jpg"));
}

}  // namespace
}  // namespace flatout::data
