// Exports of two versions, through the door that a trace comes in by.
#include "trace/nsys/read_export.h"

#include <gmock/gmock.h>

#include "trace/nsys/export_fixture.h"
#include "trace/open_trace.h"

namespace flatout::trace {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ReadExport : public ExportTest {};

constexpr const char* kTables2024 =
    "CREATE TABLE StringIds (\n  -- names\n  id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);"
    "CREATE TABLE TARGET_INFO_GPU (vmId INTEGER, id INTEGER, name TEXT, busLocation TEXT,"
    "  totalMemory INTEGER, computeMajor INTEGER, computeMinor INTEGER);"
    "CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER, pid INTEGER);"
    "CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER);"
    "CREATE TABLE ENUM_CUDA_MEMCPY_OPER (id INTEGER PRIMARY KEY, name TEXT, label TEXT);"
    "CREATE TABLE ENUM_CUDA_MEM_KIND (id INTEGER PRIMARY KEY, name TEXT, label TEXT);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL,"
    "  deviceId INTEGER NOT NULL, contextId INTEGER, greenContextId INTEGER, streamId INTEGER,"
    "  correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, shortName INTEGER);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId INTEGER,"
    "  streamId INTEGER, correlationId INTEGER, globalPid INTEGER, bytes INTEGER,"
    "  copyKind INTEGER, srcKind INTEGER, dstKind INTEGER);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER, end INTEGER, deviceId INTEGER,"
    "  streamId INTEGER, correlationId INTEGER, globalPid INTEGER, bytes INTEGER,"
    "  memKind INTEGER);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER, end INTEGER, deviceId INTEGER,"
    "  streamId INTEGER, correlationId INTEGER, globalPid INTEGER, graphId INTEGER);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, eventClass INTEGER,"
    "  globalTid INTEGER, correlationId INTEGER, nameId INTEGER, returnValue INTEGER);"
    "CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT,"
    "  globalTid INTEGER, textId INTEGER);";

std::string names_of(const run::Timeline& timeline, pid_t pid) {
  std::string out;
  for (const run::DeviceActivity& activity : timeline.processes.at(pid).activities) {
    out += std::string(timeline.names->at(activity.name)) + "@" +
           std::to_string(activity.begin_ns) + " ";
  }
  return out;
}

TEST_F(ReadExport, ReadsDevicesCallsAndNames) {
  const auto timeline = open_trace(database(
      std::string(kTables2024) +
      "INSERT INTO StringIds VALUES (1,'cudaLaunchKernel_v7000'),(2,'gemm'),"
      "  (3,'void gemm<float>(int)');"
      "INSERT INTO TARGET_INFO_GPU VALUES (0,0,'NVIDIA H100','0000:65:00.0',85899345920,9,0),"
      "  (0,1,'NVIDIA H100','',85899345920,9,0);"
      "INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1700000000000000000);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (2000,2500,0,1,NULL,7,9," +
      global_pid(42) + ",3,2);" +
      "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (1500,1600,0,7,8," + global_pid(42) +
      ",4096,1,0,2);" + "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (2600,2601,0,7,10," +
      global_pid(42) + ",64,2);" + "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1000,1100,0," +
      global_tid(42, 43) + ",9,1,0);"));
  ASSERT_TRUE(timeline) << timeline.error().message;
  EXPECT_THAT(timeline->notes, IsEmpty());
  const run::ProcessTrack& process = timeline->processes.at(42);
  EXPECT_EQ(names_of(*timeline, 42),
            "Memcpy HtoD (Pageable -> Device)@1500 void gemm<float>(int)@2000 "
            "Memset (Device)@2600 ");
  const run::DeviceActivity copy = *process.activities.front();
  EXPECT_EQ(copy.bytes, 4096U);
  EXPECT_EQ(copy.direction, run::CopyDirection::kHostToDevice);
  EXPECT_EQ(copy.host_memory, run::HostMemory::kPageable);
  EXPECT_EQ(copy.stream, 7U);
  ASSERT_EQ(process.host_spans.size(), 1U);
  const run::HostSpan call = *process.host_spans.front();
  EXPECT_EQ(timeline->names->at(call.name), "cudaLaunchKernel");
  EXPECT_EQ(call.correlation, 9U);
  EXPECT_EQ(call.kind, run::HostSpanKind::kCall);
  EXPECT_EQ(process.lanes.at(call.lane).tid, 43);
  ASSERT_EQ(timeline->devices.size(), 1U);
  EXPECT_EQ(timeline->devices.at(0).name, "NVIDIA H100");
  EXPECT_EQ(timeline->devices.at(0).capability, "9.0");
  EXPECT_EQ(timeline->info.started_ns, 1000);
  EXPECT_EQ(timeline->info.started_wall_ns, 1'700'000'000'000'000'000);
  EXPECT_EQ(timeline->last_ns, 2601);
}

// 2019: no process of an activity, no kinds of memory, names as texts of NVTX alone.
TEST_F(ReadExport, ReadsAnOldVersionAndLeavesAbsentWhatIsAbsent) {
  const auto timeline = open_trace(database(
      "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT NOT NULL, end INT NOT NULL,"
      "  deviceId INT NOT NULL, streamId INT NOT NULL, correlationId INT NOT NULL,"
      "  shortName INT NOT NULL);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INT, end INT, deviceId INT, copyKind INT);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, globalTid INT,"
      "  correlationId INT, nameId INT);"
      "CREATE TABLE NVTX_EVENTS (start INT, end INT, text TEXT, globalTid INT);"
      "INSERT INTO StringIds VALUES (1,'cudaMemcpyAsync_v3020'),(2,'gemm');"
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (20,30,0,7,3,2);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (10,12,0,1);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1,2," +
      global_tid(42, 42, 0x81) + ",3,1);" + "INSERT INTO NVTX_EVENTS VALUES (1,50,'step'," +
      global_tid(42, 42, 0x81) + ");"));
  ASSERT_TRUE(timeline) << timeline.error().message;
  EXPECT_EQ(names_of(*timeline, 42), "Memcpy HtoD@10 gemm@20 ");
  const run::DeviceActivity copy = *timeline->processes.at(42).activities.front();
  EXPECT_EQ(copy.bytes, run::DeviceActivity::kUnknownBytes);
  EXPECT_EQ(copy.host_memory, run::HostMemory::kUnknown);
  EXPECT_EQ(copy.correlation, 0U);
  EXPECT_EQ(timeline->processes.at(42).host_spans.size(), 2U);
  EXPECT_THAT(timeline->notes, IsEmpty());
  EXPECT_TRUE(timeline->processes.at(42).phases.empty());  // "step" is not guessed to be one
}

TEST_F(ReadExport, EachProcessHasItsOwnAndDevicesAreTheMachines) {
  const auto timeline = open_trace(database(
      std::string(kTables2024) + "INSERT INTO StringIds VALUES (1,'cudaLaunchKernel'),(2,'k');" +
      "INSERT INTO TARGET_INFO_GPU VALUES (0,0,'A','',1,9,0),(0,1,'B','',1,9,0);" +
      // Each sees one device, which it counts from 0.
      "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (0,0,10),(1,0,11);" +
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (20,30,0,1,NULL,7,5," + global_pid(10) +
      ",2,2),(40,50,0,1,NULL,7,5," + global_pid(11) + ",2,2);" +
      "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1,2,0," + global_tid(10, 10) +
      ",5,1,0),(3,4,0," + global_tid(11, 11) + ",5,1,0);"));
  ASSERT_TRUE(timeline) << timeline.error().message;
  EXPECT_EQ(timeline->processes.size(), 2U);
  EXPECT_EQ(timeline->processes.at(10).activities.front()->device, 0);
  EXPECT_EQ(timeline->processes.at(11).activities.front()->device, 1);
  EXPECT_EQ(timeline->processes.at(11).host_spans.front()->begin_ns, 3);
  EXPECT_EQ(timeline->devices.at(1).name, "B");
  EXPECT_THAT(timeline->notes, IsEmpty());
}

TEST_F(ReadExport, SaysWhereProcessesShareADevice) {
  const auto timeline = open_trace(
      database(std::string(kTables2024) +
               "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (20,30,0,1,NULL,7,5," +
               global_pid(10) + ",2,2),(40,50,0,1,NULL,7,5," + global_pid(11) + ",2,2);"));
  ASSERT_TRUE(timeline);
  EXPECT_THAT(timeline->notes, ElementsAre(HasSubstr("device 0 worked for 2 processes")));
}

TEST_F(ReadExport, RangesOfPyTorchGiveStepsAndPhases) {
  const std::string thread = global_tid(10, 10);
  const auto timeline = open_trace(database(
      std::string(kTables2024) +
      "INSERT INTO StringIds VALUES (1,'cudaDeviceSynchronize_v3020'),(2,'ProfilerStep#1');"
      "INSERT INTO NVTX_EVENTS VALUES (100,200,59,NULL," +
      thread + ",2)," +
      "(110,130,59,'enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__'," + thread +
      ",NULL),(132,138,59,'aten::add, seq = 3'," + thread + ",NULL)," +
      "(140,160,59,'autograd::engine::evaluate_function: A, seq = 3'," + global_tid(10, 11) +
      ",NULL),(165,175,59,'Optimizer.step#SGD.step'," + thread + ",NULL)," +
      "(180,NULL,34,'a mark'," + thread + ",NULL),(0,NULL,75,'NCCL'," + thread + ",NULL);" +
      "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (190,195,0," + thread + ",4,1,0);"));
  ASSERT_TRUE(timeline) << timeline.error().message;
  const run::ProcessTrack& process = timeline->processes.at(10);
  std::string phases;
  for (const run::PhaseEvent& event : process.phases) {
    phases += std::string(run::phase_name(event.phase)) + (event.begin ? "<" : ">") +
              std::to_string(event.t_ns) + " ";
  }
  EXPECT_EQ(phases,
            "step>100 data_wait<110 data_wait>130 forward<132 forward>140 backward<140 "
            "backward>160 optimizer<165 optimizer>175 sync<190 sync>195 step>200 ");
  std::string ops;
  for (const run::HostSpan& span : process.host_spans) {
    if (span.kind == run::HostSpanKind::kOp) ops += timeline->names->at(span.name);
  }
  EXPECT_EQ(ops, "aten::addautograd::engine::evaluate_function: A");
  EXPECT_THAT(timeline->notes, IsEmpty());
}

TEST_F(ReadExport, RangesOfTheProgramAreItsSteps) {
  std::string rows = std::string(kTables2024) +
                     "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (110,115,0,1,NULL,7,9," +
                     global_pid(42) + ",3,2);";
  for (int i = 0; i < 4; ++i) {
    const auto at = [&](int t) { return std::to_string(100 * i + t); };
    rows += "INSERT INTO NVTX_EVENTS VALUES (" + at(110) + "," + at(195) + ",59,'train step " +
            std::to_string(i) + "'," + global_tid(42, 42) + ",NULL)," + "(" + at(111) + "," +
            at(150) + ",59,'inner'," + global_tid(42, 42) + ",NULL);";
  }
  const auto timeline = open_trace(database(rows));
  ASSERT_TRUE(timeline) << timeline.error().message;
  std::string marks;
  for (const run::PhaseEvent& event : timeline->processes.at(42).phases) {
    if (event.phase == run::Phase::kStep) marks += std::to_string(event.t_ns) + " ";
  }
  EXPECT_EQ(marks, "110 195 295 395 495 ");
}

TEST_F(ReadExport, StartedRangesNeedNotNestAndMarksAreMoments) {
  const std::string thread = global_tid(42, 42), other = global_tid(42, 43);
  std::string rows = std::string(kTables2024) +
                     "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (110,115,0,1,NULL,7,9," +
                     global_pid(42) + ",3,2);";
  for (int i = 0; i < 4; ++i) {
    const auto at = [&](int t) { return std::to_string(100 * i + t); };
    rows += "INSERT INTO NVTX_EVENTS VALUES (" + at(110) + "," + at(220) + ",60,'iteration " +
            std::to_string(i) + "'," + (i % 2 == 0 ? thread : other) + ",NULL)," + "(" + at(150) +
            ",NULL,34,'saved'," + other + ",NULL);";
  }
  const auto timeline = open_trace(database(rows));
  ASSERT_TRUE(timeline) << timeline.error().message;
  EXPECT_THAT(timeline->notes, IsEmpty());
  const run::ProcessTrack& process = timeline->processes.at(42);
  int ranges = 0;
  std::string moments;
  for (const run::HostSpan& span : process.host_spans) {
    ranges += span.kind == run::HostSpanKind::kRange ? 1 : 0;
    if (span.kind != run::HostSpanKind::kMark) continue;
    EXPECT_EQ(span.begin_ns, span.end_ns);
    moments += std::string(timeline->names->at(span.name)) + std::to_string(span.begin_ns) + " ";
  }
  EXPECT_EQ(ranges, 4);
  EXPECT_EQ(moments, "saved150 saved250 saved350 saved450 ");
  std::string marks;
  for (const run::PhaseEvent& event : process.phases) {
    if (event.phase == run::Phase::kStep) marks += std::to_string(event.t_ns) + " ";
  }
  EXPECT_EQ(marks, "110 220 320 420 520 ");
}

TEST_F(ReadExport, GraphsThatWereRecordedAsAWholeCount) {
  const auto timeline = open_trace(
      database("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
               "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INT, end INT, deviceId INT,"
               "  streamId INT, correlationId INT, globalPid INT, graphId INT);"
               "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (1,9,0,7,1," +
               global_pid(10) + ",5);"));
  ASSERT_TRUE(timeline) << timeline.error().message;
  EXPECT_EQ(names_of(*timeline, 10), "CUDA graph 5@1 ");
  EXPECT_THAT(timeline->notes, ElementsAre(HasSubstr("--cuda-graph-trace=node")));
}

TEST_F(ReadExport, NodesOfGraphsAndContextsAreKept) {
  const auto timeline = open_trace(
      database("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
               "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT,"
               "  contextId INT, streamId INT, correlationId INT, globalPid INT, graphNodeId INT);"
               "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1,9,0,2,7,1," +
               global_pid(10) + ",30064771081),(10,11,0,1,7,2," + global_pid(10) + ",NULL);"));
  ASSERT_TRUE(timeline) << timeline.error().message;
  const auto& activities = timeline->processes.at(10).activities;
  EXPECT_EQ(activities.front()->context, 2);
  EXPECT_EQ(activities.front()->graph, 7U);
  EXPECT_EQ(activities.front()->graph_node, 9U);
  EXPECT_EQ(activities.back()->graph, 0U);
}

TEST_F(ReadExport, AnEnumerationOfTheFileIsFollowed) {
  const auto timeline = open_trace(database(
      std::string(kTables2024) +
      "INSERT INTO ENUM_CUDA_MEMCPY_OPER VALUES (70,'CUDA_MEMCPY_KIND_DTOH','Device-to-Host');"
      "INSERT INTO ENUM_CUDA_MEM_KIND VALUES (80,'CUDA_MEMOPR_MEMORY_KIND_PINNED','Pinned');"
      "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (1,2,0,7,8," +
      global_pid(10) + ",4096,70,2,80);"));
  ASSERT_TRUE(timeline) << timeline.error().message;
  EXPECT_EQ(names_of(*timeline, 10), "Memcpy DtoH (Device -> Pinned)@1 ");
}

TEST_F(ReadExport, SaysWhatTheFileLacks) {
  const auto other = open_trace(database("CREATE TABLE t (a);"));
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().message, HasSubstr("report.sqlite is no trace"));
  EXPECT_THAT(other.error().message, HasSubstr("StringIds"));
  EXPECT_EQ(other.error().code, base::ErrorCode::kInvalid);
  const auto unused = open_trace(
      database("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);", "b.sqlite"));
  ASSERT_FALSE(unused);
  EXPECT_THAT(unused.error().message, HasSubstr("CUPTI_ACTIVITY_KIND_KERNEL"));
  EXPECT_THAT(unused.error().message, HasSubstr("--trace=cuda"));
}

}  // namespace
}  // namespace flatout::trace
