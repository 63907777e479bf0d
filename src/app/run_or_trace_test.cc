#include "app/run_or_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/time.h"
#include "store/run_writer.h"
#include "store/store_fixture.h"

namespace flatout::app {
namespace {

using ::testing::HasSubstr;

constexpr const char* kTrace =
    R"({"traceEvents":[{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":1,"dur":2}]})";

class RunOrTrace : public ::testing::Test {
 protected:
  RunOrTrace() {
    const base::SystemClock clock;
    auto writer = store::RunWriter::open(store::Home::at(home()), clock);
    id = writer->id();
    EXPECT_TRUE(writer->begin(store::sample_info(id)));
    EXPECT_TRUE(writer->end({}));
    EXPECT_TRUE(base::write_file_atomic(file(), kTrace));
  }
  std::string home() const { return (scratch.path() / "home").string(); }
  std::string file() const { return (scratch.path() / "trace.json").string(); }

  store::ScratchFolder scratch;
  std::string id;
};

TEST_F(RunOrTrace, OpensWhicheverItIs) {
  for (const Meant meant : {Meant::kRun, Meant::kFile}) {
    const auto run = open_run_or_trace(home(), id, meant);
    ASSERT_TRUE(run) << run.error().message;
    EXPECT_EQ(run->info.id, id);
    EXPECT_EQ(run->info.trace_file, "");
    const auto trace = open_run_or_trace(home(), file(), meant);
    ASSERT_TRUE(trace) << trace.error().message;
    EXPECT_NE(trace->info.trace_file, "");
  }
}

TEST_F(RunOrTrace, WhatIsNeitherIsAnErrorOfWhatIsMeant) {
  const auto run = open_run_or_trace(home(), "nobody", Meant::kRun);
  ASSERT_FALSE(run);
  EXPECT_THAT(run.error().message, HasSubstr("no run"));
  const auto trace = open_run_or_trace(home(), "nobody", Meant::kFile);
  ASSERT_FALSE(trace);
  EXPECT_THAT(trace.error().message, HasSubstr("nobody"));
  EXPECT_EQ(trace.error().message.find("no run"), std::string::npos);
}

// Else a file of its name would be asked for, which nobody meant.
TEST_F(RunOrTrace, ARunThatCannotBeReadIsThatRunsError) {
  const auto log = store::Home::at(home()).folder(id) / "log.flo";
  ASSERT_TRUE(base::write_file_atomic(log, "no log at all"));
  const auto as_run = open_run_or_trace(home(), id, Meant::kRun);
  const auto as_file = open_run_or_trace(home(), id, Meant::kFile);
  ASSERT_FALSE(as_run);
  ASSERT_FALSE(as_file);
  EXPECT_EQ(as_file.error().message, as_run.error().message);
}

}  // namespace
}  // namespace flatout::app
