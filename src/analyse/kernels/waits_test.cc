#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analyse/kernels/kernel_trace_fixture.h"
#include "analyse/kernels/python_place.h"
#include "analyse/kernels/wait_table.h"

namespace flatout::analyse {
namespace {

using run::HostSpanKind;
using run::WaitReport;

constexpr const char* kWait = "cudaStreamSynchronize";

// A kernel at [at, at + 100), a wait for it and, 100 us after its end, the next kernel: of the
// device's idle time the wait costs what it reaches beyond the kernel, and the lead of the host.
void step_that_waits(KernelTrace& trace, std::int64_t at) {
  trace.launch(at, at + 10, at + 110).span(HostSpanKind::kCall, kWait, at + 20, at + 120);
}

TEST(Waits, AreOfTheProgramsFunctionAndTheOutermostOp) {
  KernelTrace trace;
  trace.span(HostSpanKind::kPython, "train.py(9): main", 0, 1000)
      .span(HostSpanKind::kPython, "train.py(57): step", 0, 999)
      .span(HostSpanKind::kPython, "torch/nn/utils/clip_grad.py(30): clip_grad_norm_", 15, 130)
      .span(HostSpanKind::kOp, "aten::is_nonzero", 16, 125)
      .span(HostSpanKind::kOp, "aten::item", 17, 124);
  step_that_waits(trace, 0);
  trace.launch(200, 210, 310);
  const std::vector<WaitReport> waits = trace.report().waits;
  ASSERT_EQ(waits.size(), 1U);
  EXPECT_EQ(waits[0].at, "train.py:57");
  EXPECT_EQ(waits[0].function, "step");
  EXPECT_EQ(waits[0].by, "torch/nn/utils/clip_grad.py:30 (clip_grad_norm_)");
  EXPECT_EQ(waits[0].op, "aten::is_nonzero");
  EXPECT_EQ(waits[0].api, kWait);
  EXPECT_EQ(waits[0].count, 1);
  EXPECT_DOUBLE_EQ(waits[0].time_ms, 0.1);
}

TEST(Waits, IdleTimesSumToTheAccountsSync) {
  KernelTrace trace;
  for (int i = 0; i < 4; ++i) {
    trace.span(HostSpanKind::kOp, i % 2 == 0 ? "aten::item" : "aten::nonzero", 300 * i + 15,
               300 * i + 125);
    step_that_waits(trace, 300 * i);
  }
  const run::KernelTraceReport report = trace.report();
  ASSERT_EQ(report.waits.size(), 2U);
  double idle_ms = 0;
  for (const WaitReport& wait : report.waits) {
    EXPECT_EQ(wait.count, 2);
    EXPECT_NEAR(wait.time_ms, 0.2, 0.011);  // the last one ends behind the device's last activity
    EXPECT_GT(*wait.idle_ms, 0);
    idle_ms += *wait.idle_ms;
  }
  // Three gaps, of the last wait none is known.
  EXPECT_NEAR(idle_ms, (*report.idle_account)[run::IdleCause::kSync] * report.window_ms, 1e-9);
  EXPECT_NEAR(idle_ms, 3 * (0.01 + 0.09), 1e-9);
  EXPECT_EQ(report.waits[0].op, "aten::item");  // two of the three
}

TEST(Waits, OfACallWithinACallCountOnce) {
  KernelTrace trace;
  step_that_waits(trace, 0);
  trace.span(HostSpanKind::kCall, "cuStreamSynchronize", 21, 119).launch(200, 210, 310);
  const std::vector<WaitReport> waits = trace.report().waits;
  ASSERT_EQ(waits.size(), 1U);
  EXPECT_EQ(waits[0].api, kWait);
  EXPECT_EQ(waits[0].count, 1);
  EXPECT_TRUE(waits[0].at.empty() && waits[0].op.empty());
}

TEST(Waits, WithoutStacksBearTheRangeThatTheProgramMarked) {
  KernelTrace trace;
  trace.span(HostSpanKind::kAnnotation, "ProfilerStep#3", 0, 400)
      .span(HostSpanKind::kAnnotation, "loss", 10, 130);
  step_that_waits(trace, 0);
  step_that_waits(trace, 200);
  const std::vector<WaitReport> waits = trace.launch(390, 400, 410).report().waits;
  ASSERT_EQ(waits.size(), 2U);
  EXPECT_EQ(waits[0].range + waits[1].range, "loss");  // the second step's is over
}

TEST(Waits, InAPartOfTheStepThatPyTorchMarksAsAnOpBearItAsARange) {
  KernelTrace trace;
  trace.span(HostSpanKind::kOp, "ProfilerStep#3", 0, 400)
      .span(HostSpanKind::kOp, "Optimizer.step#Adam.step", 0, 150)
      .span(HostSpanKind::kOp, "aten::item", 16, 130);
  step_that_waits(trace, 0);
  const std::vector<WaitReport> waits = trace.launch(390, 400, 410).report().waits;
  ASSERT_EQ(waits.size(), 1U);
  EXPECT_EQ(waits[0].op, "aten::item");
  EXPECT_EQ(waits[0].range, "Optimizer.step#Adam.step");
}

TEST(Waits, OfARunBearThePlaceThatTheHooksSaid) {
  KernelTrace trace;
  step_that_waits(trace, 0);
  step_that_waits(trace, 200);
  trace.launch(390, 400, 410);
  run::Timeline timeline = trace.timeline();
  timeline.info.trace_file = "";
  run::ProcessTrack& process = timeline.processes.at(1);
  process.facts.push_back(
      {0, "wait_site", R"({"site":7,"call":"bool","at":"/a/train.py:57","by":"torch.x:3"})"});
  const auto sync = [&](std::int64_t from_us, std::int64_t to_us, std::uint32_t site) {
    process.phases.push_back(
        {.t_ns = from_us * 1000, .id = site, .phase = run::Phase::kSync, .begin = true});
    process.phases.push_back({.t_ns = to_us * 1000, .phase = run::Phase::kSync});
  };
  sync(15, 125, 7);
  sync(215, 325, 8);  // of which no fact tells
  const auto waits = measure_kernel_trace(timeline, TracedLane{.pid = 1, .first_step_ns = {}}, {})
                         .devices.at(0)
                         .waits;
  ASSERT_EQ(waits.size(), 2U);
  EXPECT_EQ(waits[0].at, "/a/train.py:57");
  EXPECT_EQ(waits[0].op, "bool");
  EXPECT_EQ(waits[0].by, "torch.x:3");
  EXPECT_EQ(waits[1].at, "");
  EXPECT_EQ(waits[1].api, kWait);
}

TEST(WaitTable, IsBoundedAndTheRestIsOneRow) {
  run::NameTable names;
  WaitTable table;
  constexpr int kCallers = 5000;
  for (int i = 0; i < kCallers; ++i) {
    WaitCaller caller;
    caller.op = names.add("op" + std::to_string(i));
    table.add_call(caller, 1000);
    table.add_idle(caller, i < 20 ? 100 : 1);
  }
  const auto rows = table.rows(names, {});
  ASSERT_EQ(rows.size(), kMostWaitRows + 1);
  EXPECT_EQ(rows.front().op.substr(0, 2), "op");
  EXPECT_TRUE(rows.back().rest);
  EXPECT_EQ(rows.back().count, kCallers - static_cast<int>(kMostWaitRows));
  double idle_ms = 0;
  for (const WaitReport& row : rows) idle_ms += *row.idle_ms;
  EXPECT_NEAR(idle_ms, (20 * 100 + 4980) / 1e6, 1e-12);
}

TEST(PythonPlace, KnowsWhoseAFunctionIs) {
  EXPECT_EQ(python_code("train.py(57): step"), PythonCode::kOwn);
  EXPECT_EQ(python_code("src/models/net.py(3): forward"), PythonCode::kOwn);
  EXPECT_EQ(python_code("/home/a (1)/train.py(57): step"), PythonCode::kOwn);
  EXPECT_EQ(python_code("torch/nn/modules/module.py(1501): _call_impl"), PythonCode::kLibrary);
  EXPECT_EQ(python_code("/x/lib/python3.11/site-packages/foo/a.py(1): f"), PythonCode::kLibrary);
  EXPECT_EQ(python_code("contextlib.py(80): inner"), PythonCode::kLibrary);
  EXPECT_EQ(python_code("<string>(1): <module>"), PythonCode::kLibrary);
  EXPECT_EQ(python_code("nn.Module: Linear_0"), PythonCode::kNoFile);
  EXPECT_EQ(python_code("<built-in method item of Tensor object at 0x7f3a>"), PythonCode::kNoFile);
  EXPECT_EQ(python_code("(): "), PythonCode::kNoFile);
  EXPECT_EQ(python_place("/home/a (1)/train.py(57): step").at, "/home/a (1)/train.py:57");
  EXPECT_EQ(python_place("/home/a (1)/train.py(57): step").function, "step");
  EXPECT_EQ(built_in_name("<built-in function _cuda_synchronize>"), "_cuda_synchronize");
  EXPECT_EQ(built_in_name("train.py(57): step"), "");
}

}  // namespace
}  // namespace flatout::analyse
