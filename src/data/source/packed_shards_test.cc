#include "data/source/packed_shards.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "data/source/folder_fixture.h"

namespace flatout::data {
namespace {

using base::ErrorCode;
using testing::HasSubstr;

constexpr std::uint64_t kSet = 0xFEDCBA9876543210U;

// Writes a set by hand: shards of the samples that are given, kind as said.
class PackedTest : public FolderTest {
 protected:
  struct Sample {
    std::string name;
    std::string bytes;
    std::int64_t label = 0;
    std::uint32_t width = 0;
    std::uint32_t height = 0;
  };

  void write_shard(std::uint32_t shard, const std::vector<Sample>& samples,
                   ShardKind kind = ShardKind::kOriginal) {
    std::string data = shard_data_header(kind, kSet, shard);
    ShardIndexBuilder index;
    for (const Sample& one : samples) {
      index.add({.offset = data.size(),
                 .bytes = static_cast<std::uint32_t>(one.bytes.size()),
                 .label = one.label,
                 .checksum = checksum_of(std::as_bytes(std::span(one.bytes))),
                 .width = one.width,
                 .height = one.height,
                 .number = next_ + index.samples()},
                one.name);
      data += one.bytes;
    }
    const ShardFacts facts{.kind = kind,
                           .set = kSet,
                           .shard = shard,
                           .first = next_,
                           .end = next_ + samples.size(),
                           .data_bytes = data.size()};
    next_ += samples.size();
    write(shard_data_name(shard), data);
    write(shard_index_name(shard), index.finish(facts));
  }
  void write_manifest(std::uint32_t shards, ShardKind kind = ShardKind::kOriginal) {
    write(kPackManifestName, pack_manifest_text({.set = kSet,
                                                 .kind = kind,
                                                 .shards = shards,
                                                 .samples = next_,
                                                 .classes = {"cat", "dog"}}));
  }
  std::string error() { return PackedShards::open(root_).error().message; }

  std::uint64_t next_ = 0;
  ReadBuffer buffer_;
};

TEST_F(PackedTest, SamplesOfAllShardsInOrder) {
  write_shard(0, {{"a.jpg", "first", 1}, {"b.jpg", "second", -7}});
  write_shard(1, {});
  write_shard(2, {{"c.jpg", "third", 1LL << 40}});
  write_manifest(3);
  const auto set = PackedShards::open(root_);
  ASSERT_TRUE(set) << set.error().message;
  ASSERT_EQ((*set)->size(), 3);
  EXPECT_EQ((*set)->manifest().classes, (std::vector<std::string>{"cat", "dog"}));
  const char* texts[] = {"first", "second", "third"};
  const std::int64_t labels[] = {1, -7, 1LL << 40};
  for (std::int64_t index : {2, 0, 1}) {
    EXPECT_EQ(text_of(*(*set)->read(index, buffer_)), texts[index]);
    EXPECT_EQ((*set)->label(index), labels[index]);
    EXPECT_EQ((*set)->raw_size(index), std::nullopt);
  }
  EXPECT_EQ((*set)->short_name(1), "b.jpg");
  EXPECT_THAT((*set)->name(2), testing::EndsWith("shard-00002.data: c.jpg"));
  EXPECT_FALSE((*set)->read_rows(0, 0, 1, buffer_)) << "no pixels";
}

TEST_F(PackedTest, RowsOfRawPixelsBeforeAndAfterTheirChecksumWasCompared) {
  std::string pixels;
  for (int i = 0; i < 5 * 4 * 3; ++i) pixels += static_cast<char>(i);
  write_shard(0, {{"a", pixels, 0, 5, 4}}, ShardKind::kRaw);
  write_manifest(1, ShardKind::kRaw);
  const auto set = PackedShards::open(root_);
  ASSERT_TRUE(set);
  const auto size = (*set)->raw_size(0);
  EXPECT_EQ(size->width, 5);
  EXPECT_EQ(size->height, 4);
  for (int turn = 0; turn < 3; ++turn) {
    const auto rows = (*set)->read_rows(0, 1, 2, buffer_);
    ASSERT_TRUE(rows);
    EXPECT_EQ(rows->height, 2);
    EXPECT_EQ(rows->stride, 15);
    EXPECT_EQ(rows->row(0)[0], 15);
    EXPECT_EQ(rows->row(1)[14], 44);
  }
}

TEST_F(PackedTest, OfACutShardTheSamplesThatAreGoneAreNamed) {
  write_shard(0, {{"a.jpg", "first", 1}, {"b.jpg", "second", 2}});
  write_manifest(1);
  std::filesystem::resize_file(root_ / shard_data_name(0), kShardHeaderBytes + 8);
  const auto set = PackedShards::open(root_);
  ASSERT_TRUE(set) << set.error().message;
  EXPECT_TRUE((*set)->read(0, buffer_));
  const auto gone = (*set)->read(1, buffer_);
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().code, ErrorCode::kCorrupt);
  EXPECT_THAT(gone.error().message, HasSubstr("shard-00000.data: b.jpg: the shard was cut"));
  EXPECT_THAT(gone.error().message, HasSubstr("byte 72 of 75"));
}

TEST_F(PackedTest, EveryChangedByteOfASampleIsSeen) {
  write_shard(0, {{"a.jpg", "first", 1}});
  write_manifest(1);
  const auto set = PackedShards::open(root_);
  for (std::size_t at = 0; at < 5; ++at) {
    auto data = *base::read_file(root_ / shard_data_name(0));
    data[kShardHeaderBytes + at] = static_cast<char>(data[kShardHeaderBytes + at] ^ 4);
    write(shard_data_name(0), data);
    const auto bytes = (*set)->read(0, buffer_);
    ASSERT_FALSE(bytes);
    EXPECT_THAT(bytes.error().message, HasSubstr("a.jpg: damaged"));
    data[kShardHeaderBytes + at] = static_cast<char>(data[kShardHeaderBytes + at] ^ 4);
    write(shard_data_name(0), data);
  }
  EXPECT_TRUE((*set)->read(0, buffer_));
}

TEST_F(PackedTest, WhatIsMissingOrOfAnotherSetIsNamed) {
  EXPECT_THAT(error(), HasSubstr("run flatout pack again"));
  write_shard(0, {{"a.jpg", "first", 1}});
  write_shard(1, {{"b.jpg", "second", 1}});
  write(kPackManifestName, "{}");
  EXPECT_THAT(error(), HasSubstr("flatout.shards/1"));
  write_manifest(3);
  EXPECT_THAT(error(), HasSubstr("shard-00002.index"));
  write_manifest(1);
  EXPECT_THAT(error(), HasSubstr("have not the samples"))
      << "two samples are reported, one is there";
  write_manifest(2);
  EXPECT_TRUE(PackedShards::open(root_));
  std::filesystem::copy_file(root_ / shard_index_name(0), root_ / shard_index_name(1),
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_THAT(error(), HasSubstr("shard-00001.index: it belongs to another set or place"));
  std::filesystem::remove(root_ / shard_data_name(0));
  EXPECT_THAT(error(), HasSubstr("shard-00000.data"));
  write(shard_data_name(0),
        "FLOSHARD, or so it seems, but what follows is another thing, at length");
  EXPECT_THAT(error(), HasSubstr("its beginning is not"));
}

// Of an index, each way to be wrong behind a right checksum is an error; so is each changed byte.
TEST(ShardIndex, ChecksWhatItIsTold) {
  const ShardFacts facts{
      .kind = ShardKind::kRaw, .set = 1, .shard = 2, .first = 5, .end = 9, .data_bytes = 1000};
  const ShardRecord good{
      .offset = 64, .bytes = 12, .label = 3, .width = 2, .height = 2, .number = 7};
  const auto parsed = [](const ShardRecord& record, const ShardFacts& of) {
    ShardIndexBuilder builder;
    builder.add(record, "name");
    return ShardIndex::parse(builder.finish(of));
  };
  const auto index = parsed(good, facts);
  ASSERT_TRUE(index) << index.error().message;
  EXPECT_EQ(index->record(0), good);
  EXPECT_EQ(index->facts(), facts);
  EXPECT_EQ(index->name(0), "name");

  const auto with = [&](auto change) {
    ShardRecord record = good;
    ShardFacts of = facts;
    change(record, of);
    return parsed(record, of).has_value();
  };
  EXPECT_FALSE(with([](ShardRecord& r, ShardFacts&) { r.bytes = 0; }));
  EXPECT_FALSE(with([](ShardRecord& r, ShardFacts&) { r.bytes = 13; }));
  EXPECT_FALSE(with([](ShardRecord& r, ShardFacts&) { r.offset = 63; }));
  EXPECT_FALSE(with([](ShardRecord& r, ShardFacts&) { r.offset = 989; }));
  EXPECT_FALSE(with([](ShardRecord& r, ShardFacts&) { r.offset = ~0ULL - 3; }));
  EXPECT_FALSE(with([](ShardRecord& r, ShardFacts&) {
    r.width = 1U << 31U;
    r.height = 2;
  }));
  EXPECT_FALSE(with([](ShardRecord&, ShardFacts& f) { f.kind = ShardKind::kJpeg; }));
  EXPECT_FALSE(with([](ShardRecord&, ShardFacts& f) { f.kind = static_cast<ShardKind>(9); }));
  EXPECT_FALSE(with([](ShardRecord&, ShardFacts& f) { f.end = f.first; }));
  EXPECT_FALSE(with([](ShardRecord&, ShardFacts& f) { f.end = 4; }));

  ShardIndexBuilder builder;
  builder.add(good, "name");
  const std::string file = builder.finish(facts);
  for (std::size_t at = 0; at < file.size(); ++at) {
    std::string changed = file;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    EXPECT_FALSE(ShardIndex::parse(changed)) << at;
    EXPECT_FALSE(ShardIndex::parse(file.substr(0, at))) << at;
  }
}

TEST(ShardIndex, OfALaterVersionSaysSo) {
  std::string file = ShardIndexBuilder().finish({});
  file[8] = 2;
  const auto index = ShardIndex::parse(file);
  ASSERT_FALSE(index);
  EXPECT_EQ(index.error().code, ErrorCode::kInvalid);
  EXPECT_THAT(index.error().message, HasSubstr("version 2"));
}

TEST(PackManifest, IsReadAsItWasWritten) {
  const PackManifest made{.set = kSet,
                          .kind = ShardKind::kJpeg,
                          .shards = 7,
                          .samples = 99,
                          .left_out = 2,
                          .size = 256,
                          .quality = 90,
                          .classes = {"a", "\"b\n"}};
  const auto read = read_pack_manifest(pack_manifest_text(made));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->set, kSet);
  EXPECT_EQ(read->kind, ShardKind::kJpeg);
  EXPECT_EQ(read->shards, 7U);
  EXPECT_EQ(read->samples, 99U);
  EXPECT_EQ(read->left_out, 2U);
  EXPECT_EQ(read->size, 256);
  EXPECT_EQ(read->quality, 90);
  EXPECT_EQ(read->classes, made.classes);
  for (const char* wrong : {"", "[]", "{\"format\":\"flatout.shards/2\"}",
                            R"({"format":"flatout.shards/1","set":"00000000000000zz"})",
                            R"({"format":"flatout.shards/1","kind":"jpeg","shards":-1})"}) {
    EXPECT_FALSE(read_pack_manifest(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace flatout::data
