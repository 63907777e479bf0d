// The tuner's side of the control page, against a program that is played by the test.
#include "trial/control_page.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "trial/job.h"
#include "wire/control_page.h"

namespace flatout::trial {
namespace {

namespace fs = std::filesystem;

class ControlPageTest : public testing::Test {
 protected:
  ControlPageTest() {
    std::string name = (fs::temp_directory_path() / "control-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    file_ = folder_ / "page";
  }
  ~ControlPageTest() override {
    if (program_ != nullptr) ::munmap(program_, sizeof(wire::ControlPage));
    fs::remove_all(folder_);
  }
  ControlPage page() {
    EXPECT_TRUE(make_control_page(file_));
    const int fd = ::open(file_.c_str(), O_RDWR | O_CLOEXEC);
    void* const memory =
        ::mmap(nullptr, sizeof(wire::ControlPage), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    ::close(fd);
    program_ = static_cast<wire::ControlPage*>(memory);
    auto opened = ControlPage::open(file_);
    EXPECT_TRUE(opened) << opened.error().message;
    return std::move(*opened);
  }
  void answer(wire::BlockEnd end, const std::string& text, std::uint64_t steps = 10,
              std::int64_t block_ns = 1000) {
    program_->end = end;
    program_->steps = steps;
    program_->block_ns = block_ns;
    program_->answer_bytes = static_cast<std::uint32_t>(text.size());
    std::memcpy(program_->answer, text.data(), std::min(text.size(), sizeof program_->answer));
    program_->answered.store(program_->asked.load());
  }

  fs::path folder_, file_;
  wire::ControlPage* program_ = nullptr;
};

TEST_F(ControlPageTest, ABlockIsAskedForAndAnswered) {
  ControlPage tuner = page();
  EXPECT_TRUE(tuner.answered()) << "nothing is asked yet";
  ASSERT_TRUE(tuner.ask({.knobs = {{.knob = "optimizer.fused", .value = "true", .pattern = {}}},
                         .settle_steps = 3,
                         .steps = 12,
                         .least_ns = 5}));
  EXPECT_FALSE(tuner.answered());
  EXPECT_EQ(std::string(program_->text, program_->text_bytes), "{\"optimizer.fused\":true}");
  EXPECT_EQ(program_->settle_steps, 3U);
  EXPECT_EQ(program_->block_steps, 12U);
  EXPECT_EQ(program_->least_ns, 5);
  answer(
      wire::BlockEnd::kMeasured,
      R"({"optimizer.fused": {"knob": "optimizer.fused", "value": true, "applied": true, "from": false}})");
  ASSERT_TRUE(tuner.answered());
  const auto result = tuner.result();
  EXPECT_EQ(result.outcome, apply::BlockOutcome::kMeasured);
  EXPECT_EQ(result.steps, 10U);
  ASSERT_EQ(result.outcomes.size(), 1U);
  EXPECT_TRUE(result.outcomes[0].applied);
  EXPECT_EQ(result.outcomes[0].asked.value, "true");
  EXPECT_EQ(result.outcomes[0].from, "false");
}

TEST_F(ControlPageTest, WhyNothingWasSwitchedIsPassedOn) {
  ControlPage tuner = page();
  ASSERT_TRUE(tuner.ask({}));
  answer(wire::BlockEnd::kFailed, "batch.size: not now");
  EXPECT_EQ(tuner.result().outcome, apply::BlockOutcome::kNotSwitched);
  EXPECT_EQ(tuner.result().why, "batch.size: not now");
}

TEST_F(ControlPageTest, WhatMakesNoSenseIsNoMeasurement) {
  ControlPage tuner = page();
  ASSERT_TRUE(tuner.ask({}));
  answer(wire::BlockEnd::kMeasured, "{}", 0);
  EXPECT_EQ(tuner.result().outcome, apply::BlockOutcome::kDisturbed);
  answer(wire::BlockEnd::kMeasured, "{}", 10, -5);
  EXPECT_EQ(tuner.result().outcome, apply::BlockOutcome::kDisturbed);
  answer(static_cast<wire::BlockEnd>(77), "{}");
  EXPECT_EQ(tuner.result().outcome, apply::BlockOutcome::kNotSwitched);
  answer(wire::BlockEnd::kMeasured, "[[[");
  EXPECT_TRUE(tuner.result().outcomes.empty());
  program_->answer_bytes = 0xFFFFFFFF;
  EXPECT_TRUE(tuner.result().outcomes.empty());
}

TEST_F(ControlPageTest, SettingsThatDoNotFitAreNotAskedFor) {
  ControlPage tuner = page();
  std::vector<run::KnobSetting> many;
  for (int i = 0; i < 2000; ++i) {
    many.push_back({.knob = "knob." + std::to_string(i), .value = "true", .pattern = {}});
  }
  EXPECT_FALSE(tuner.ask({.knobs = many}));
  EXPECT_TRUE(tuner.answered());
}

TEST_F(ControlPageTest, TheRunsIdIsKnownOnceItsRecorderSaysIt) {
  ControlPage tuner = page();
  EXPECT_EQ(tuner.run(), "");
  auto recorder = ControlPage::open(file_);
  ASSERT_TRUE(recorder);
  recorder->say_run("abcd");
  EXPECT_EQ(tuner.run(), "abcd");
  recorder->say_run(std::string(500, 'x'));
  EXPECT_EQ(tuner.run(), std::string(63, 'x'));
}

TEST_F(ControlPageTest, NoOtherFileIsTakenForOne) {
  EXPECT_FALSE(ControlPage::open(file_)) << "it is not there";
  std::ofstream(file_) << "short";
  EXPECT_FALSE(ControlPage::open(file_));
  fs::resize_file(file_, sizeof(wire::ControlPage));
  EXPECT_FALSE(ControlPage::open(file_)) << "it is no page";
  EXPECT_FALSE(make_control_page(file_)) << "what is there stays";
}

TEST(OutcomesIn, NothingOfWhatIsNoSuchText) {
  for (const char* text : {"", "null", "[]", "{\"a\": 1}", "{\"a\": []}", "{", "\xff\xfe"}) {
    EXPECT_TRUE(outcomes_in(text).empty()) << text;
  }
  const auto odd = outcomes_in(R"({"a": {"applied": "yes", "reason": 7, "value": null}})");
  ASSERT_EQ(odd.size(), 1U);
  EXPECT_FALSE(odd[0].applied);
  EXPECT_EQ(odd[0].reason, "7");
}

TEST(SettingsText, ValuesAreTheirJson) {
  EXPECT_EQ(settings_text({}), "{}");
  const std::vector<run::KnobSetting> knobs = {{.knob = "a.b", .value = "2", .pattern = {}},
                                               {.knob = "c", .value = "\"w\"", .pattern = {}}};
  EXPECT_EQ(settings_text(knobs), R"({"a.b":2,"c":"w"})");
}

// The recorder ends the recording once it is asked to and the program rests.
TEST_F(ControlPageTest, TheRecordingEndsWhileTheProgramRests) {
  ControlPage tuner = page();
  auto recorder = ControlPage::open(file_);
  ASSERT_TRUE(recorder);
  tuner.ask_to_rest();
  EXPECT_EQ(program_->request, wire::ControlRequest::kRest);
  tuner.ask_for_the_recording();
  EXPECT_FALSE(recorder->rests_for_the_recording()) << "its step is not over";
  program_->answered.store(program_->asked.load());
  EXPECT_TRUE(recorder->rests_for_the_recording());
  EXPECT_FALSE(tuner.recording_ended());
  recorder->say_recording_ended();
  EXPECT_TRUE(tuner.recording_ended());
  EXPECT_FALSE(recorder->rests_for_the_recording());
}

TEST_F(ControlPageTest, OneBlockAndAnEndAreOneSetting) {
  ControlPage tuner = page();
  EXPECT_FALSE(tuner.has_switched());
  ASSERT_TRUE(tuner.ask({}));
  EXPECT_FALSE(tuner.has_switched());
  tuner.ask_to_end();
  EXPECT_TRUE(tuner.end_is_asked());
  EXPECT_FALSE(tuner.has_switched());
}

TEST_F(ControlPageTest, OneBlockAndLettingGoAreOneSetting) {
  ControlPage tuner = page();
  apply::BlockSpec look;
  look.with_epochs = true;
  ASSERT_TRUE(tuner.ask(look));
  EXPECT_EQ(program_->with_epochs, 1U);
  tuner.ask_to_let_go();
  EXPECT_EQ(program_->request, wire::ControlRequest::kLetGo);
  EXPECT_FALSE(tuner.has_switched());
  EXPECT_FALSE(tuner.end_is_asked());
}

TEST_F(ControlPageTest, ASecondBlockMayBeOfOtherSettings) {
  ControlPage tuner = page();
  ASSERT_TRUE(tuner.ask({}));
  ASSERT_TRUE(tuner.ask({}));
  EXPECT_EQ(program_->with_epochs, 0U);
  EXPECT_TRUE(tuner.has_switched());
}

}  // namespace
}  // namespace flatout::trial
