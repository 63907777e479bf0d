// Traces that are written here, and the shared ones of real programs.
#include "trace/open_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <tuple>

#include "trace/trace_parts.h"

namespace flatout::trace {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class OpenTrace : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = fs::temp_directory_path() / "flatout-trace-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path written(const std::string& text, const std::string& name = "trace.json") {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }

  fs::path folder_;
};

std::string kernel(const std::string& name, int ts, int dur, int correlation = 1) {
  return R"({"ph":"X","cat":"kernel","name":")" + name + R"(","pid":0,"tid":7,"ts":)" +
         std::to_string(ts) + R"(,"dur":)" + std::to_string(dur) +
         R"(,"args":{"device":0,"stream":7,"correlation":)" + std::to_string(correlation) + "}}";
}

std::string span(const std::string& category, const std::string& name, int ts, int dur,
                 const std::string& thread = "10", int correlation = 0) {
  return R"({"ph":"X","cat":")" + category + R"(","name":")" + name + R"(","pid":10,"tid":)" +
         thread + R"(,"ts":)" + std::to_string(ts) + R"(,"dur":)" + std::to_string(dur) +
         R"(,"args":{"correlation":)" + std::to_string(correlation) + "}}";
}

std::string trace_of(std::initializer_list<std::string> events) {
  std::string text = R"({"schemaVersion":1,"traceEvents":[)";
  for (const std::string& event : events) text += event + ",";
  return text + "]}";
}

TEST_F(OpenTrace, KeepsContextsAndGraphs) {
  const auto with = [](int ts, const std::string& args) {
    return R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"dur":1,"ts":)" +
           std::to_string(ts) + R"(,"args":{"device":0,"stream":7,)" + args + "}}";
  };
  const auto timeline = open_trace(
      written(trace_of({with(1, R"("context":2,"graph id":3,"graph node id":12884901896)"),
                        with(2, R"("context":1,"graph id":0,"graph node id":0)"),
                        with(3, R"("context":99999,"graph node id":21474836481)"),
                        R"({"ph":"X","cat":"cuda_runtime","name":"c","pid":9,"tid":9,"ts":1})"})));
  ASSERT_TRUE(timeline) << timeline.error().message;
  std::string seen;
  for (const run::DeviceActivity& activity : timeline->processes.at(9).activities) {
    seen += std::to_string(activity.context) + ":" + std::to_string(activity.graph) + ":" +
            std::to_string(activity.graph_node) + " ";
  }
  EXPECT_EQ(seen, "2:3:8 1:0:0 0:5:1 ");
}

TEST_F(OpenTrace, KeepsWhatIsSaidOfCollectives) {
  const auto timeline = open_trace(written(
      R"({"distributedInfo":{"rank":1,"world_size":4},"traceEvents":[)"
      R"x({"ph":"X","cat":"kernel","name":"ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)","pid":0,)x"
      R"("tid":9,"ts":10,"dur":5,"args":{"device":0,"stream":9,"Collective name":"allreduce",)"
      R"("In msg nelems":6637568,"Seq":41,"Process Group Name":"0",)"
      R"("Process Group Ranks":"[0, 1]"}}]})"));
  ASSERT_TRUE(timeline);
  const run::ProcessTrack& process = timeline->processes.begin()->second;
  EXPECT_EQ(process.world_size, 4);
  ASSERT_EQ(process.collectives.size(), 1U);
  const run::CollectiveFact fact = *process.collectives.front();
  EXPECT_EQ(timeline->names->at(fact.operation), "allreduce");
  EXPECT_EQ(timeline->names->at(fact.group), "0 [0, 1]");
  EXPECT_EQ(std::tuple(fact.begin_ns, fact.stream, fact.device, fact.sequence, fact.elements),
            std::tuple(10'000, 9U, 0, 41, 6'637'568U));
}

TEST_F(OpenTrace, ReadsWhatROCmCalls) {
  const auto timeline = open_trace(written(
      R"({"deviceProperties":[{"id":2,"name":"AMD Instinct MI250X"}],"traceEvents":[)"
      R"({"ph":"X","cat":"cuda_runtime","name":"hipMemcpyWithStream","pid":9,"tid":9,"ts":1,)"
      R"("dur":8,"args":{"correlation":1,"stream":"0x0","kind":"1"}},)"
      R"x({"ph":"X","cat":"gpu_memcpy","name":"Memcpy HtoD (Host -> Device)","pid":2,"tid":0,)x"
      R"("ts":3,"dur":4,"args":{"device":2,"stream":0,"correlation":1,"kind":"HtoD"}}]})"));
  ASSERT_TRUE(timeline);
  EXPECT_EQ(timeline->devices.at(2).vendor, "amd");
  const run::ProcessTrack& process = timeline->processes.at(9);
  EXPECT_EQ(process.activities.front()->direction, run::CopyDirection::kHostToDevice);
  EXPECT_EQ(process.host_spans.front()->correlation, 1U);
}

TEST_F(OpenTrace, SpansMayBeBeginsAndEnds) {
  const auto timeline = open_trace(written(
      R"({"displayTimeUnit":"ns","traceEvents":[)"
      R"({"ph":"B","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":10.001,"args":{"device":0}},)"
      R"({"ph":"E","pid":0,"tid":7,"ts":15.5},{"ph":"E","pid":0,"tid":7,"ts":16}]})"));
  ASSERT_TRUE(timeline);
  const run::DeviceActivity activity = *timeline->processes.begin()->second.activities.front();
  EXPECT_EQ(activity.begin_ns, 10'001);
  EXPECT_EQ(activity.end_ns, 15'500);
  EXPECT_THAT(timeline->notes, ElementsAre(HasSubstr("1 events were left out: begins without")));
}

TEST_F(OpenTrace, ReadsDevicesHostAndNames) {
  const auto timeline = open_trace(written(trace_of(
      {span("cuda_runtime", "cudaLaunchKernel", 5, 3, "10", 1), kernel("gemm", 10, 5),
       R"x({"ph":"X","cat":"gpu_memcpy","name":"Memcpy HtoD (Pageable -> Device)","pid":0,)x"
       R"x("tid":7,"ts":20.5,"dur":1,)x"
       R"x("args":{"device":0,"stream":7,"correlation":2,"bytes":4096}})x"})));
  ASSERT_TRUE(timeline) << timeline.error().message;
  const run::ProcessTrack& process = timeline->processes.at(10);
  ASSERT_EQ(process.activities.size(), 2U);
  const run::DeviceActivity gemm = *process.activities.front();
  EXPECT_EQ(timeline->names->at(gemm.name), "gemm");
  EXPECT_EQ(gemm.begin_ns, 10'000);
  EXPECT_EQ(gemm.correlation, 1U);
  const run::DeviceActivity copy = *process.activities.back();
  EXPECT_EQ(copy.begin_ns, 20'500);
  EXPECT_EQ(copy.bytes, 4096U);
  EXPECT_EQ(copy.direction, run::CopyDirection::kHostToDevice);
  EXPECT_EQ(copy.host_memory, run::HostMemory::kPageable);
  ASSERT_EQ(process.host_spans.size(), 1U);
  EXPECT_EQ(process.host_spans.front()->correlation, 1U);
  EXPECT_EQ(timeline->info.started_ns, 5000);
  EXPECT_EQ(timeline->last_ns, 21'500);
}

std::string phases(const run::Timeline& timeline) {
  std::string out;
  for (const run::PhaseEvent& event : timeline.processes.at(10).phases) {
    out += std::string(run::phase_name(event.phase)) + (event.begin ? "<" : ">") +
           std::to_string(event.t_ns / 1000) + " ";
  }
  return out;
}

TEST_F(OpenTrace, StepsAreTheProfilersAndPhasesFollowNames) {
  const auto timeline = open_trace(written(
      trace_of({span("user_annotation", "ProfilerStep#1", 100, 100),
                span("user_annotation",
                     "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 110, 20),
                span("cuda_runtime", "cudaStreamSynchronize", 115, 5),  // the fetch's own
                span("cpu_op", "autograd::engine::evaluate_function: A", 140, 10, "11"),
                span("cpu_op", "autograd::engine::evaluate_function: B", 150, 20, "11"),
                span("user_annotation", "Optimizer.step#SGD.step", 175, 10),
                span("cuda_runtime", "cudaDeviceSynchronize", 190, 5),
                span("user_annotation", "ProfilerStep#2", 200, 50)})));
  ASSERT_TRUE(timeline);
  EXPECT_EQ(phases(*timeline),
            "step>100 data_wait<110 data_wait>130 backward<140 backward>170 optimizer<175 "
            "optimizer>185 sync<190 sync>195 step>200 step>250 ");
  EXPECT_EQ(timeline->processes.at(10).facts.observed().loaders.size(), 1U);
}

TEST_F(OpenTrace, WithoutTheProfilersStepsUpdatesEndThem) {
  const auto timeline =
      open_trace(written(trace_of({span("cpu_op", "Optimizer.step#Adam.step", 10, 5),
                                   span("cpu_op", "Optimizer.step#Adam.step", 30, 5)})));
  ASSERT_TRUE(timeline);
  EXPECT_EQ(phases(*timeline), "optimizer<10 optimizer>15 optimizer<30 optimizer>35 ");
}

TEST_F(OpenTrace, ACutTraceGivesWhatCameBefore) {
  const std::string whole = trace_of({kernel("a", 1, 1), kernel("b", 3, 1)});
  const fs::path file = written(whole.substr(0, whole.find("\"b\"") + 5));
  const auto timeline = open_trace(file);
  ASSERT_TRUE(timeline);
  EXPECT_EQ(timeline->processes.at(0).activities.size(), 1U);
  ASSERT_EQ(timeline->notes.size(), 1U);
  EXPECT_THAT(timeline->notes[0], HasSubstr("at byte " + std::to_string(whole.find("\"b\"") + 5)));
  EXPECT_THAT(timeline->notes[0], HasSubstr(file.string()));
}

std::string gzipped(const std::string& text) {
  z_stream state{};
  ::deflateInit2(&state, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(text.size() + 128, '\0');
  state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  state.avail_in = static_cast<uInt>(text.size());
  state.next_out = reinterpret_cast<Bytef*>(out.data());
  state.avail_out = static_cast<uInt>(out.size());
  ::deflate(&state, Z_FINISH);
  out.resize(out.size() - state.avail_out);
  ::deflateEnd(&state);
  return out;
}

TEST_F(OpenTrace, ReadsGzipAlsoInMembersAndCut) {
  const std::string text = trace_of({kernel("a", 1, 1), kernel("b", 3, 1)});
  const std::size_t in_b = text.find("\"b\"");
  const std::string first = gzipped(text.substr(0, in_b)), second = gzipped(text.substr(in_b));
  const auto whole = open_trace(written(first + second, "a.json.gz"));
  ASSERT_TRUE(whole) << whole.error().message;
  EXPECT_EQ(whole->processes.at(0).activities.size(), 2U);
  EXPECT_TRUE(whole->notes.empty());
  const auto cut = open_trace(written(first + second.substr(0, second.size() / 2), "b.json.gz"));
  ASSERT_TRUE(cut) << cut.error().message;
  EXPECT_THAT(cut->notes.at(0), HasSubstr("ends early"));
  const auto early = open_trace(written(first.substr(0, 30), "c.json.gz"));
  ASSERT_FALSE(early);
  EXPECT_THAT(early.error().message, HasSubstr("ends early"));
}

// Text that gzip makes far smaller than that of a trace was made to fill memory.
TEST_F(OpenTrace, ReadsTheBeginningOfWhatUnpacksWithoutEnd) {
  std::string events = kernel("a", 1, 1);
  const std::string many = "," + std::string(1000, ' ') + kernel("b", 3, 1);
  while (events.size() < (std::size_t{100} << 20)) events += many;
  const auto bomb = open_trace(written(gzipped(trace_of({events})), "bomb.json.gz"));
  ASSERT_TRUE(bomb) << bomb.error().message;
  const std::size_t read = bomb->processes.at(0).activities.size();
  EXPECT_GT(read, 1000U);
  EXPECT_LT(read, (events.size() - kernel("a", 1, 1).size()) / many.size());
  EXPECT_THAT(bomb->notes.at(0), HasSubstr("more than 100 times its size"));
  EXPECT_THAT(bomb->notes.at(0), HasSubstr("gunzip"));
  const auto plain = open_trace(written(trace_of({events}), "plain.json"));
  ASSERT_TRUE(plain);
  EXPECT_TRUE(plain->notes.empty()) << "who unpacked it trusts it";
}

TEST_F(OpenTrace, ReadsWhatTheMachineHasRoomFor) {
  std::string events = kernel("a", 1, 1);
  for (std::size_t i = 1; i < TraceParts::kLeastRecords + 1000; ++i) {
    events += ',' + kernel("a", static_cast<int>(i), 1);
  }
  const auto file = written(trace_of({events}), "large.json");
  const auto cramped = open_trace(file, 1 << 20);
  ASSERT_TRUE(cramped) << cramped.error().message;
  EXPECT_EQ(cramped->processes.at(0).activities.size(), TraceParts::kLeastRecords);
  EXPECT_THAT(cramped->notes.at(0), HasSubstr("holds more than is read of a trace"));
  const auto whole = open_trace(file, std::int64_t{1} << 30);
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->processes.at(0).activities.size(), TraceParts::kLeastRecords + 1000);
}

TEST_F(OpenTrace, SaysWhatIsNoTrace) {
  for (const auto& [text, why] : std::initializer_list<std::pair<const char*, const char*>>{
           {"", "byte 0"}, {"hello", "byte 0"}, {"{}", "traceEvents"}, {"{\"a\":", "byte 5"}}) {
    const auto timeline = open_trace(written(text));
    ASSERT_FALSE(timeline) << text;
    EXPECT_THAT(timeline.error().message, HasSubstr("trace.json")) << text;
    EXPECT_THAT(timeline.error().message, HasSubstr(why)) << text;
  }
  const auto missing = open_trace(folder_ / "none.json");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, base::ErrorCode::kNotFound);
}

// Events in Chrome's format that other programs wrote, or lists of objects that are no events.
TEST_F(OpenTrace, SaysWhatWroteATraceOfAnotherKind) {
  const std::string perf = R"({"ph":"X","cat":"perf","name":"a","pid":1,"tid":1,"ts":1,"dur":2})";
  const std::string xla = R"({"ph":"M","pid":1,"name":"process_name","args":{"name":"/host:CPU"}},)"
                          R"({"ph":"X","pid":1,"tid":1,"ts":1,"dur":2,"name":"ThunkExecute"})";
  for (const auto& [text, why] : std::initializer_list<std::pair<std::string, const char*>>{
           {trace_of({perf, perf}),
            "it holds 2 events, and no kernel, copy, call, op or range as "
            "PyTorch's profiler writes them; its categories: perf"},
           {R"([{"command":"c++ -c a.cc","file":"a.cc"}])", "it holds 1 event, and no kernel"},
           {trace_of({}), "it holds no event"},
           {R"({"traceEvents":[)" + xla + "]}", "XLA's profiler wrote it (JAX, TensorFlow)"},
           {trace_of({perf}).substr(0, 50), "it holds no event; "}}) {
    const auto timeline = open_trace(written(text));
    ASSERT_FALSE(timeline) << text;
    EXPECT_EQ(timeline.error().code, base::ErrorCode::kInvalid);
    EXPECT_THAT(timeline.error().message, HasSubstr("trace.json is no trace that flatout reads"));
    EXPECT_THAT(timeline.error().message, HasSubstr(why)) << text;
  }
}

TEST_F(OpenTrace, SaysWhichDevicesAreNotRead) {
  const auto timeline = open_trace(written(
      trace_of({span("cpu_op", "aten::add", 1, 2), span("mtia_ccp_events", "fc", 2, 3),
                span("mtia_ccp_events", "fc", 6, 3), span("overhead", "Buffer Flush", 9, 1)})));
  ASSERT_TRUE(timeline) << timeline.error().message;
  EXPECT_THAT(timeline->notes, ElementsAre("2 events of category mtia_ccp_events were left out: "
                                           "flatout does not read what they say of a device"));
}

TEST_F(OpenTrace, ReadsWhatXpusCall) {
  const auto timeline = open_trace(written(
      R"({"deviceProperties":[{"id":0,"name":"Intel(R) Data Center GPU Max 1100"}],"traceEvents":[)" +
      span("xpu_runtime", "urEnqueueKernelLaunch", 1, 2, "10", 1) + "," + kernel("k", 5, 3) +
      "]}"));
  ASSERT_TRUE(timeline) << timeline.error().message;
  EXPECT_EQ(timeline->devices.at(0).vendor, "intel");
  EXPECT_EQ(timeline->processes.at(10).host_spans.front()->correlation, 1U);
}

TEST_F(OpenTrace, TakesEventsThatLackEverything) {
  const auto timeline = open_trace(written(
      R"([{},{"ph":"X"},{"ph":"X","cat":"kernel","ts":"x"},{"ph":"X","cat":"kernel","ts":NaN},)"
      R"({"ph":"X","cat":"kernel","pid":-3,"ts":1},{"ph":"X","cat":"cpu_op","pid":"abc","ts":1},)"
      R"(7,"text",null,{"ph":"X","cat":"kernel","name":"ok","pid":0,"tid":"stream 7","ts":"5"}])"));
  ASSERT_TRUE(timeline) << timeline.error().message;
  EXPECT_EQ(timeline->processes.at(0).activities.size(), 1U);
  EXPECT_EQ(timeline->processes.at(0).activities.front()->stream, 7U);
  EXPECT_THAT(timeline->notes, ElementsAre(HasSubstr("4 events were left out")));
}

TEST_F(OpenTrace, OpsWithShapesHaveTheirWork) {
  const std::string shapes = R"("Input Dims":[[8,16],[16,4]],"Input type":["float","float"])";
  const auto op = [&](const char* name, int ts) {
    return R"({"ph":"X","cat":"cpu_op","name":")" + std::string(name) +
           R"(","pid":10,"tid":10,"dur":5,"ts":)" + std::to_string(ts) + R"(,"args":{)" + shapes +
           "}}";
  };
  const auto timeline =
      open_trace(written(trace_of({op("aten::mm", 1), op("aten::view", 10), op("aten::mm", 20)})));
  ASSERT_TRUE(timeline);
  const auto& works = timeline->processes.at(10).op_works;
  ASSERT_EQ(works.size(), 2U);
  EXPECT_EQ(works.at(1)->begin_ns, 20'000);
  ASSERT_TRUE(timeline->op_costs);
  ASSERT_EQ(timeline->op_costs->size(), 1U);  // both are the same
  EXPECT_EQ(timeline->op_costs->front().flops, 2.0 * 8 * 16 * 4);
}

// Of the GPU's memory; the CPU's is not a device's.
TEST_F(OpenTrace, TheAllocatorsMemoryIsASeries) {
  const auto memory = [](int type, int ts, const std::string& said) {
    return R"({"ph":"i","name":"[memory]","pid":10,"tid":10,"ts":)" + std::to_string(ts) +
           R"(,"args":{"Device Id":0,"Device Type":)" + std::to_string(type) + said + "}}";
  };
  const auto timeline = open_trace(written(
      trace_of({kernel("k", 0, 5), memory(1, 2, R"(,"Total Allocated":100,"Total Reserved":400)"),
                memory(0, 3, R"(,"Total Allocated":900,"Total Reserved":900)"), memory(1, 4, ""),
                memory(1, 1, R"(,"Total Allocated":7,"Total Reserved":-3)")})));
  ASSERT_TRUE(timeline);
  const auto& allocated =
      timeline->series.at({run::Metric::kDeviceAllocatorAllocated, run::device_source(0)});
  ASSERT_EQ(allocated.size(), 2U);
  EXPECT_EQ(allocated.at(0)->value, 7);
  EXPECT_EQ(allocated.at(1)->value, 100);
  EXPECT_EQ(
      timeline->series.at({run::Metric::kDeviceAllocatorReserved, run::device_source(0)}).size(),
      1U);
}

// What the allocator says is no span, and has a device only where that did something.
TEST_F(OpenTrace, TheAllocatorAloneHasNoTime) {
  const std::string memory =
      R"({"ph":"i","name":"[memory]","pid":10,"tid":10,"ts":9,"args":{"Device Id":0,)"
      R"("Device Type":1,"Total Allocated":100}})";
  EXPECT_FALSE(open_trace(written(trace_of({memory}))));
  const auto timeline = open_trace(written(trace_of({memory, span("cpu_op", "aten::add", 20, 5)})));
  ASSERT_TRUE(timeline);
  EXPECT_EQ(timeline->info.started_ns, 20'000);
  EXPECT_EQ(timeline->last_ns, 25'000);
  EXPECT_TRUE(timeline->series.empty());
}

}  // namespace
}  // namespace flatout::trace
