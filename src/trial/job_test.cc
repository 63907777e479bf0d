#include "trial/job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace flatout::trial {
namespace {

using ::testing::HasSubstr;

TrialJob job() {
  TrialJob out;
  out.home = "/home/me/runs";
  out.directory = "/work dir";
  out.output = "/tmp/out";
  out.command = {"python", "train.py", "--text=a \"b\"\n", ""};
  out.environment = {{"OMP_NUM_THREADS", "2"}, {"EMPTY", ""}};
  run::KnobSetting knob;
  knob.knob = "dataloader.num_workers";
  knob.value = "4";
  run::KnobSetting own{"user.workers", "4", "--workers={}"};
  out.knobs = {knob, own};
  out.steps = 60;
  out.timeout_ns = 30 * base::kSecond;
  out.seed_shift = 2;
  out.name = "#1 --lr=0.1";
  out.parent = "k7f2";
  out.capture = {"wandb", "mlflow"};
  out.in_place = true;
  out.unbuffered = true;
  out.driven = true;
  out.argv = false;
  out.file_cache = FileCache::kCold;
  return out;
}

TEST(TrialJob, IsReadAsItWasWritten) {
  const auto read = parse_trial_job(trial_job_text(job()));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->command, job().command);
  EXPECT_EQ(read->environment, job().environment);
  EXPECT_EQ(read->knobs, job().knobs);
  EXPECT_EQ(read->parent, "k7f2");
  EXPECT_EQ(read->timeout_ns, job().timeout_ns);
  EXPECT_TRUE(read->in_place && read->unbuffered && read->driven && !read->probe && !read->argv);
  EXPECT_EQ(read->file_cache, FileCache::kCold);
  EXPECT_EQ(read->capture, (std::vector<std::string>{"wandb", "mlflow"}));
  EXPECT_EQ(trial_job_text(*read), trial_job_text(job()));
  TrialJob first = job();
  first.parent.reset();
  EXPECT_FALSE(parse_trial_job(trial_job_text(first))->parent);
}

// Each changes one thing; the message names it.
TEST(TrialJob, WhatIsWrongIsNamed) {
  using Change = void (*)(TrialJob&);
  const std::pair<Change, const char*> cases[] = {
      {[](TrialJob& j) { j.command.clear(); }, "'command'"},
      {[](TrialJob& j) { j.command[1] += '\0'; }, "'command'"},
      {[](TrialJob& j) { j.directory = "here"; }, "'directory'"},
      {[](TrialJob& j) { j.output = ""; }, "'output'"},
      {[](TrialJob& j) { j.home = "runs"; }, "'home'"},
      {[](TrialJob& j) { j.steps = 0; }, "'steps'"},
      {[](TrialJob& j) { j.steps = UINT64_MAX; }, "'steps'"},
      {[](TrialJob& j) { j.timeout_ns = -1; }, "'timeout_ns'"},
      {[](TrialJob& j) { j.environment[0].first = ""; }, "'environment'"},
      {[](TrialJob& j) { j.environment[0].first = "A=B"; }, "'environment'"},
  };
  for (const auto& [change, name] : cases) {
    TrialJob changed = job();
    change(changed);
    const auto read = parse_trial_job(trial_job_text(changed));
    ASSERT_FALSE(read) << name;
    EXPECT_THAT(read.error().message, HasSubstr(name));
  }
  EXPECT_EQ(parse_trial_job(std::string(kMaxTrialJobBytes + 1, ' ')).error().code,
            base::ErrorCode::kTooLarge);
  for (const char* text : {"", "[]", "3", "{\"schema\":7}", "{\"schema\":\"flatout.trial/2\"}"}) {
    EXPECT_FALSE(parse_trial_job(text)) << text;
  }
}

TEST(TrialResult, IsReadAsItWasWritten) {
  const TrialJobResult result{.run = "k7f2",
                              .ended = "main",
                              .files = "warm 3 - 7",
                              .trouble = "",
                              .place = "overlay",
                              .notes = {"a note"},
                              .written = {"out/model.pt"},
                              .written_beyond = {"/home/u/.cache/x"},
                              .lasting = {"/data/log"}};
  const auto read = parse_trial_result(trial_result_text(result));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(trial_result_text(*read), trial_result_text(result));
  EXPECT_FALSE(parse_trial_result(trial_job_text(job())));
  EXPECT_FALSE(parse_trial_job(trial_result_text(result)));
}

TEST(TrialResult, WasRecordedWhereItHasARunThatDidNotOnlyFail) {
  const auto result = [](const char* run, const char* ended, const char* trouble) {
    TrialJobResult out;
    out.run = run;
    out.ended = ended;
    out.trouble = trouble;
    return out;
  };
  EXPECT_TRUE(was_recorded(result("k7f2", "ranks", "")));
  EXPECT_TRUE(was_recorded(result("k7f2", "timeout", "2 processes could not be ended")));
  EXPECT_TRUE(was_recorded(result("k7f2", "", "")));
  EXPECT_FALSE(was_recorded(result("k7f2", "", "it could not be started")));
  EXPECT_FALSE(was_recorded(result("", "", "")));
}

}  // namespace
}  // namespace flatout::trial
