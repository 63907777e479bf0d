// Blocks against a page in this process's own memory, with a clock that the test moves.
#include "inject/blocks.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>

namespace flatout::inject {
namespace {

std::int64_t clock_ns = 0;
std::int64_t now() { return clock_ns; }

int puts_seen = 0;
int settled_seen = 0;
std::string put_text;
bool put_works = true;

bool put(const char* text, std::uint32_t bytes, wire::ControlPage& page) {
  ++puts_seen;
  put_text.assign(text, bytes);
  clock_ns += 5;
  if (!put_works) {
    page.answer_bytes = 2;
    std::memcpy(page.answer, "no", 2);
  }
  return put_works;
}

void settled() {
  ++settled_seen;
  clock_ns += 3;  // what a device still had to do
}

void outcomes(wire::ControlPage& page) {
  page.answer_bytes = 2;
  std::memcpy(page.answer, "{}", 2);
}

int rests_seen = 0;
std::uint32_t asked_in_rest = 0;  // 0 = it comes back unasked, as where a signal's handler raises

void rest(wire::ControlPage& page, std::uint32_t taken) {
  ++rests_seen;
  EXPECT_EQ(page.answered.load(), taken) << "answered once it rests";
  if (asked_in_rest == 0) return;
  page.request = wire::ControlRequest::kBlock;
  page.block_steps = asked_in_rest;
  page.settle_steps = 0;
  page.text_bytes = 0;
  page.asked.fetch_add(1);
}

class BlocksTest : public testing::Test {
 protected:
  BlocksTest() : page_(std::make_unique<wire::ControlPage>()) {
    clock_ns = 0;
    puts_seen = settled_seen = rests_seen = 0;
    asked_in_rest = 0;
    put_works = true;
    blocks_.drive_by(*page_, {put, settled, outcomes, rest});
  }

  void ask(const std::string& text, std::uint64_t settle, std::uint64_t steps,
           std::int64_t least_ns = 0) {
    page_->request = wire::ControlRequest::kBlock;
    page_->settle_steps = settle;
    page_->block_steps = steps;
    page_->least_ns = least_ns;
    page_->text_bytes = static_cast<std::uint32_t>(text.size());
    std::memcpy(page_->text, text.data(), text.size());
    page_->asked.fetch_add(1);
  }

  // So many steps of 10 ns; true where one of them ends the process.
  bool steps(int count) {
    bool end = false;
    for (int i = 0; i < count; ++i) {
      clock_ns += 10;
      end = blocks_.step_closed(now) || end;
    }
    return end;
  }

  bool answered() const { return page_->answered.load() == page_->asked.load(); }

  std::unique_ptr<wire::ControlPage> page_;
  Blocks blocks_;
};

TEST_F(BlocksTest, NothingIsDoneUnasked) {
  EXPECT_FALSE(steps(100));
  EXPECT_EQ(puts_seen, 0);
  EXPECT_EQ(page_->steps_closed.load(), 100U);
}

TEST_F(BlocksTest, ABlockBeginsAfterItsSettlingAndHoldsItsSteps) {
  ask("{\"a\": 1}", 2, 4);
  steps(1);  // put
  EXPECT_EQ(put_text, "{\"a\": 1}");
  EXPECT_EQ(page_->switch_ns, 5);
  steps(2);
  EXPECT_EQ(settled_seen, 1);
  steps(3);
  EXPECT_FALSE(answered());
  steps(1);
  ASSERT_TRUE(answered());
  EXPECT_EQ(page_->end, wire::BlockEnd::kMeasured);
  EXPECT_EQ(page_->steps, 4U);
  EXPECT_EQ(page_->block_ns, 4 * 10 + 3);  // the device's rest is the block's
  EXPECT_EQ(page_->settle_ns, 2 * 10 + 3);
  EXPECT_EQ(page_->restarts, 0U);
  EXPECT_EQ(std::string(page_->answer, page_->answer_bytes), "{}");
}

TEST_F(BlocksTest, AnAnswerIsGivenOnceARequest) {
  ask("{}", 0, 1);
  steps(10);
  ASSERT_TRUE(answered());
  EXPECT_EQ(puts_seen, 1);
  ask("{}", 0, 1);
  EXPECT_FALSE(answered());
  steps(2);
  EXPECT_TRUE(answered());
  EXPECT_EQ(puts_seen, 2);
}

TEST_F(BlocksTest, ABlockLastsAsLongAsItIsToLast) {
  ask("{}", 0, 1, 55);
  steps(1);
  steps(5);
  EXPECT_FALSE(answered());
  steps(1);
  ASSERT_TRUE(answered());
  EXPECT_EQ(page_->steps, 6U);
}

TEST_F(BlocksTest, ADisturbedBlockBeginsAnew) {
  ask("{}", 1, 3);
  steps(3);  // put, settled, one of the block
  blocks_.disturbed();
  steps(1);
  steps(static_cast<int>(kSettleAfterDisturbance));
  EXPECT_FALSE(answered());
  steps(3);
  ASSERT_TRUE(answered());
  EXPECT_EQ(page_->steps, 3U);
  EXPECT_EQ(page_->restarts, 1U);
  EXPECT_EQ(page_->block_ns, 3 * 10 + 3);
}

TEST_F(BlocksTest, WhatDisturbsTheSettlingDisturbsNoBlock) {
  ask("{}", 4, 2);
  steps(2);
  blocks_.disturbed();
  steps(5);
  ASSERT_TRUE(answered());
  EXPECT_EQ(page_->restarts, 0U);
}

TEST_F(BlocksTest, ABlockThatIsAlwaysDisturbedIsGivenUp) {
  ask("{}", 0, 5);
  for (int i = 0; i < 1000 && !answered(); ++i) {
    steps(1);
    blocks_.disturbed();
  }
  ASSERT_TRUE(answered());
  EXPECT_EQ(page_->end, wire::BlockEnd::kDisturbed);
}

TEST_F(BlocksTest, WhatCannotBePutInPlaceIsAnsweredAtOnce) {
  put_works = false;
  ask("{}", 5, 5);
  steps(1);
  ASSERT_TRUE(answered());
  EXPECT_EQ(page_->end, wire::BlockEnd::kFailed);
  EXPECT_EQ(std::string(page_->answer, page_->answer_bytes), "no");
  put_works = true;
  ask("{}", 0, 1);
  steps(2);
  EXPECT_EQ(page_->end, wire::BlockEnd::kMeasured);
}

TEST_F(BlocksTest, ALengthThatNoTextHasIsRefused) {
  ask("{}", 0, 1);
  page_->text_bytes = wire::kMaxControlText + 1;
  steps(1);
  ASSERT_TRUE(answered());
  EXPECT_EQ(page_->end, wire::BlockEnd::kFailed);
  EXPECT_EQ(puts_seen, 0);
}

TEST_F(BlocksTest, TheTunerEndsTheProcess) {
  EXPECT_FALSE(steps(3));
  page_->request = wire::ControlRequest::kEnd;
  page_->asked.fetch_add(1);
  EXPECT_TRUE(steps(1));
  EXPECT_TRUE(answered());
}

TEST_F(BlocksTest, AnEpochIsPartOfABlockThatWantsIt) {
  page_->with_epochs = 1;
  ask("{}", 0, 4);
  steps(2);
  blocks_.disturbed();
  steps(3);
  ASSERT_TRUE(answered());
  EXPECT_EQ(page_->end, wire::BlockEnd::kMeasured);
  EXPECT_EQ(page_->steps, 4U);
  EXPECT_EQ(page_->restarts, 0U);
}

TEST_F(BlocksTest, ItRestsAndGoesOnWithWhatIsAskedMeanwhile) {
  asked_in_rest = 3;
  page_->request = wire::ControlRequest::kRest;
  page_->asked.fetch_add(1);
  steps(1);
  EXPECT_EQ(rests_seen, 1);
  EXPECT_EQ(settled_seen, 2) << "before it rests, and where the block begins";
  EXPECT_FALSE(answered());
  steps(3);
  EXPECT_TRUE(answered());
  EXPECT_EQ(page_->steps, 3U);
}

TEST_F(BlocksTest, ARestThatEndsUnaskedIsNotGoneBackTo) {
  page_->request = wire::ControlRequest::kRest;
  page_->asked.fetch_add(1);
  EXPECT_FALSE(steps(20));
  EXPECT_EQ(rests_seen, 1);
  EXPECT_TRUE(answered());
}

TEST_F(BlocksTest, LetGoItIsDrivenNoMore) {
  ask("{}", 0, 4);
  steps(5);
  page_->request = wire::ControlRequest::kLetGo;
  page_->asked.fetch_add(1);
  steps(1);
  EXPECT_TRUE(answered());
  EXPECT_FALSE(blocks_.driven());
  const std::uint64_t closed = page_->steps_closed.load();
  ask("{}", 0, 1);
  EXPECT_FALSE(steps(10));
  EXPECT_FALSE(answered());
  EXPECT_EQ(page_->steps_closed.load(), closed);
}

}  // namespace
}  // namespace flatout::inject
