// Loaders that are opened from a description, without the C functions around them.
#include "data/open/open_loader.h"

#include <array>
#include <iterator>
#include <memory>
#include <string>

#include "data/open/figures.h"
#include "data/open/open_source.h"
#include "data/open/pack_set.h"
#include "data/source/file_list.h"
#include "data/source/folder_fixture.h"

namespace flatout::data {
namespace {

constexpr std::int64_t kTokens = 256;
constexpr std::int64_t kWindows = 15;  // of 16 tokens and the one behind them

class OpenLoaderTest : public FolderTest {
 protected:
  spec::LoaderSpec tokens(const std::string& more = "") {
    std::string bytes;
    for (std::int64_t i = 0; i < kTokens; ++i) bytes.push_back(static_cast<char>(i));
    write("tokens.bin", bytes);
    const auto read = spec::read_loader_spec(
        R"({"tokens":{"files":[")" + (root_ / "tokens.bin").string() +
        R"("],"type":"uint8","header_bytes":0,"window":{"length":16,"joined":false}},)"
        R"("batch_size":2)" +
        more + "}");
    EXPECT_TRUE(read) << read.error().message;
    return *read;
  }

  std::unique_ptr<OpenLoader> opened(const std::string& more = "") {
    auto open = open_loader(tokens(more), nullptr);
    EXPECT_TRUE(open) << open.error().message;
    return std::move(*open);
  }
};

TEST_F(OpenLoaderTest, ADescriptionNamesOneSource) {
  const auto none = open_source({}, nullptr, 1);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, base::ErrorCode::kInvalid);
  EXPECT_NE(none.error().message.find("what to read is missing"), std::string::npos);
  spec::LoaderSpec two;
  two.images = root_;
  const auto more = open_source(two, std::make_unique<FileList>(), 1);
  ASSERT_FALSE(more);
  EXPECT_NE(more.error().message.find("more than one is given"), std::string::npos);
  const auto beside = open_loader(tokens(), std::make_unique<FileList>());
  ASSERT_FALSE(beside);
  EXPECT_NE(beside.error().message.find("pictures are given"), std::string::npos);
}

TEST_F(OpenLoaderTest, ArraysHaveFewThreadsWhereNothingIsSaid) {
  EXPECT_LE(opened()->loader.engine().stats().threads, 2);
  EXPECT_EQ(opened(R"(,"threads":3)")->loader.engine().stats().threads, 3);
}

TEST_F(OpenLoaderTest, GivesAnEpochAndCountsWhatWasDrawn) {
  const auto open = opened();
  ASSERT_TRUE(open->begin_own(0, 4));
  std::int64_t samples = 4;
  while (true) {
    const auto batch = open->next();
    ASSERT_TRUE(batch) << batch.error().message;
    if (*batch == nullptr) break;
    EXPECT_EQ((*batch)->buffer, nullptr);
    samples += std::ssize((*batch)->made.indices);
    EXPECT_EQ(open->drawn(), samples);
  }
  EXPECT_EQ(samples, kWindows);
}

TEST_F(OpenLoaderTest, RefusesSamplesThatAreNotThere) {
  const auto open = opened();
  const std::array<std::int64_t, 2> wrong = {0, kWindows};
  const std::string why = "sample 15 is not in 0 to 14";
  for (const auto& refused :
       {open->begin_with(0, wrong), open->append(wrong), open->count_as_drawn(wrong)}) {
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message, why);
  }
  EXPECT_FALSE(open->begin_own(0, -1));
}

TEST_F(OpenLoaderTest, NobodyIsToldOutsideOfARun) {
  const auto open = opened();
  EXPECT_EQ(open->run, nullptr);
  open->closing();
  EXPECT_NE(stats_json(*open).find(R"("tuning":{"threads":true)"), std::string::npos);
}

TEST_F(OpenLoaderTest, TheCpuIsWhereBatchesAreAlready) {
  const auto open = opened();
  EXPECT_TRUE(to_device(*open, "cpu"));
  EXPECT_EQ(open->device, nullptr);
  ASSERT_TRUE(open->begin_own(0, 0));
  const auto late = to_device(*open, "cuda");
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().message, "cuda: an epoch was begun before; ask for it before that");
}

TEST_F(OpenLoaderTest, NothingToPackIsAnError) {
  spec::PackSpec spec;
  spec.to = root_ / "packed";
  const auto packed = pack_set(spec, {});
  ASSERT_FALSE(packed);
  EXPECT_NE(packed.error().message.find("what to read is missing"), std::string::npos);
}

}  // namespace
}  // namespace flatout::data
