#include "report/top/screen.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "base/file.h"
#include "base/terminal_text.h"
#include "report/top/top_json.h"

namespace flatout::report {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

run::WatchedDevice device(int index) {
  run::WatchedDevice out;
  out.index = index;
  out.name = "NVIDIA H100 80GB HBM3";
  out.utilization = 0.2 + 0.1 * index;
  out.memory_used_bytes = 45.2e9;
  out.memory_total_bytes = 80e9;
  out.power_w = 412;
  out.power_limit_w = 700;
  out.temperature_c = 64 + 3 * index;
  out.sm_clock_mhz = 1755;
  out.sm = 0.61;
  out.tensor = 0.32;
  out.dram = 0.41;
  out.pcie_received = 2.1e9;
  out.pcie_sent = 0.3e9;
  for (int i = 0; i < 90; ++i) {
    out.history.push_back(i == 40 ? kNone : 0.5 + 0.45 * std::sin(i / 5.0 + index));
  }
  return out;
}

run::WatchedProcess process(pid_t pid, run::ProcRole role, int number, double cores) {
  run::WatchedProcess out;
  out.pid = pid;
  out.role = role;
  (role == run::ProcRole::kMain ? out.rank : out.worker) = number;
  out.command = "/usr/bin/python3 train.py --lr 0.1";
  out.cpu_cores = cores;
  out.rss_bytes = 1.2e9 + pid;
  out.read_bytes_per_s = 31e6;
  out.threads = 12;
  return out;
}

run::Watched training(int devices) {
  run::Watched out;
  out.kind = run::WatchedKind::kRun;
  out.id = "k7f2";
  out.name = "resnet50";
  out.host = "node1";
  out.command = "python train.py --lr 0.1";
  out.state = run::RunState::kRunning;
  out.elapsed_s = 252;
  out.silent_s = 0.1;
  out.machine = {.cpus = 12,
                 .cpu_cores = 7.4,
                 .own_cpu_cores = 6.1,
                 .iowait_cores = 0.1,
                 .memory_used_bytes = 61e9,
                 .memory_total_bytes = 128e9,
                 .own_memory_bytes = 8.2e9,
                 .disk_read = 120e6,
                 .disk_written = 2e6,
                 .network_received = 3e3,
                 .network_sent = 1e3,
                 .pressure_cpu = 0.12,
                 .pressure_memory = 0,
                 .pressure_io = 0.04,
                 .throttled = {},
                 .history = {}};
  for (int i = 0; i < devices; ++i) out.devices.push_back(device(i));
  out.processes.push_back(process(4242, run::ProcRole::kMain, 0, 1.02));
  for (int i = 0; i < 6; ++i) {
    out.processes.push_back(process(4250 + i, run::ProcRole::kWorker, i, 0.9 - 0.1 * i));
  }
  if (devices > 0) out.processes.front().device_memory_bytes = 44e9;
  out.steps.emplace();
  out.steps->count = 7421;
  out.steps->per_s = 31.2;
  out.steps->median_ms = 31.9;
  out.steps->p99_ms = 58.1;
  out.steps->samples_per_s = 998;
  out.steps->device_busy = 0.62;
  out.steps->phases = {{"data_wait", 0.33}, {"h2d", 0.04},       {"forward", 0.21},
                       {"backward", 0.3},   {"optimizer", 0.08}, {"other", 0.04}};
  for (int i = 0; i < 200; ++i) {
    out.steps->history_ms.push_back(30 + (i % 25 == 0 ? 28 : 4 * std::sin(i / 3.0)));
  }
  out.loader.emplace();
  out.loader->workers = 6;
  out.loader->sample_ms = 5.4;
  out.loader->max_samples_per_s = 1080;
  out.loader->stages = {{"JPEG decode", 0.61}, {"RandomResizedCrop", 0.2}};
  run::WatchedValue loss{.name = "train/loss", .last = 0.4213, .step = 7421, .history = {}};
  for (int i = 0; i < 100; ++i) loss.history.push_back(1.0 / (i + 5));
  out.values = {loss, {.name = "lr", .last = 0.1, .step = 7400, .history = {0.1, 0.1}}};
  out.verdict.emplace();
  out.verdict->finding = "input_bound";
  out.verdict->cause = "worker_cpu";
  out.verdict->summary =
      "the GPU waits for data 33 % of each step, since 6 workers cannot decode faster.";
  out.verdict->share = 0.33;
  out.verdict->confidence = 0.9;
  out.verdict->advice = "DataLoader(..., num_workers=10)";
  return out;
}

run::Watched machine() {
  run::Watched out;
  out.host = "node1";
  out.elapsed_s = 3;
  out.machine = training(0).machine;
  out.hint = "record a training: flatout run -- python train.py";
  for (int i = 0; i < 40; ++i) {
    out.processes.push_back(process(100 + i, run::ProcRole::kOther, -1, 0.01 * i));
  }
  return out;
}

std::string rendered(const run::Watched& watched, const TopSize& size, const TopView& view = {}) {
  return top_screen(watched, view, size).text();
}

// Kept as text under golden/, to be read; FLATOUT_WRITE_GOLDEN=1 writes it instead, and fails.
void expect_screen(const std::string& name, const std::string& text) {
  const std::string file = FLATOUT_SOURCE_DIR "/src/report/top/golden/" + name + ".txt";
  if (std::getenv("FLATOUT_WRITE_GOLDEN") != nullptr) {
    ASSERT_TRUE(base::write_file_atomic(file, text));
    ADD_FAILURE() << "wrote " << file;
    return;
  }
  const auto expected = base::read_file(file);
  ASSERT_TRUE(expected) << expected.error().message;
  EXPECT_EQ(text, *expected) << name;
}

TEST(TopScreen, IsAsItWas) {
  const TopSize small = {.columns = 80, .rows = 24};
  const TopSize ascii = {.columns = 80, .rows = 24, .unicode = false, .colour = false};
  const TopSize middle = {.columns = 120, .rows = 40};
  const TopSize large = {.columns = 200, .rows = 50};
  expect_screen("run-no-gpu-80x24", rendered(training(0), small));
  expect_screen("run-1-gpu-80x24", rendered(training(1), small));
  expect_screen("run-1-gpu-80x24-ascii", rendered(training(1), ascii));
  expect_screen("run-8-gpus-80x24", rendered(training(8), small));
  expect_screen("run-1-gpu-120x40", rendered(training(1), middle));
  expect_screen("run-8-gpus-120x40", rendered(training(8), middle));
  expect_screen("run-8-gpus-200x50", rendered(training(8), large));
  expect_screen("machine-80x24", rendered(machine(), small));
  expect_screen("help-80x24", rendered(machine(), small, {.help = true}));
}

TEST(TopScreen, FitsAnySize) {
  run::Watched over = training(3);
  over.state = run::RunState::kLost;
  for (const run::Watched& watched :
       {training(0), training(1), training(16), machine(), over, run::Watched{}}) {
    for (std::size_t columns = 1; columns < 140; columns += 7) {
      for (std::size_t rows = 1; rows < 60; rows += 3) {
        for (const bool unicode : {true, false}) {
          const Grid grid = top_screen(watched, {.first = 1000}, {columns, rows, unicode, unicode});
          ASSERT_EQ(grid.columns(), columns);
          ASSERT_EQ(grid.rows(), rows);
        }
      }
    }
  }
}

TEST(TopScreen, TextOfAnybodySteersNothing) {
  const std::string name = "a\x1b[2J\x1b]0;x\x07\r\n\t\x9b\xff\xE2\x80\xAE界界";
  run::Watched watched = training(1);
  watched.name = watched.command = watched.host = watched.id = watched.hint = name;
  watched.devices.front().name = watched.devices.front().mig = name;
  watched.processes.front().command = name;
  watched.values.front().name = name;
  watched.verdict->summary = watched.verdict->advice = watched.verdict->finding = name;
  watched.loader->stages = {{name, 0.9}};
  watched.steps->phases = {{name, 0.9}};
  for (const bool unicode : {true, false}) {
    for (const std::size_t columns : {40U, 80U, 160U}) {
      const Grid grid = top_screen(watched, {}, {columns, 40, unicode, true});
      for (std::size_t y = 0; y < grid.rows(); ++y) {
        std::string line;
        for (std::size_t x = 0; x < columns; ++x) line += grid.at(x, y).text;
        EXPECT_EQ(base::terminal_text(line, unicode), line);
        EXPECT_EQ(base::display_width(line), columns) << line;
      }
    }
  }
}

TEST(TopScreen, AbsentIsNeverZero) {
  run::Watched watched = training(1);
  watched.devices.front().utilization.reset();
  watched.devices.front().power_w.reset();
  watched.processes.resize(1);
  watched.processes.front().cpu_cores.reset();
  watched.processes.front().rss_bytes.reset();
  const std::string text = rendered(watched, {.columns = 120, .rows = 30});
  EXPECT_THAT(text, HasSubstr(" - "));
  EXPECT_THAT(text, Not(HasSubstr(" 0 %")));
  EXPECT_THAT(text, Not(HasSubstr("/700 W")));
}

TEST(TopScreen, SortsAndScrolls) {
  const run::Watched watched = machine();
  const TopSize size = {.columns = 80, .rows = 24};
  const std::string by_cpu = rendered(watched, size);
  EXPECT_LT(by_cpu.find("  139 "), by_cpu.find("  130 "));
  const std::string by_pid = rendered(watched, size, {.sort = TopSort::kPid});
  EXPECT_THAT(by_pid, HasSubstr("  100 "));
  EXPECT_THAT(by_pid, Not(HasSubstr("  139 ")));
  EXPECT_THAT(rendered(watched, size, {.sort = TopSort::kPid, .first = 1000}), HasSubstr("  139 "));
  EXPECT_GT(top_process_rows(watched, {}, size), 5U);
  TopSort sort = TopSort::kCpu;
  bool found = false;
  for (std::size_t y = 0; y < size.rows; ++y) {
    found |= top_sort_at(watched, {}, size, 5, y, sort);
  }
  EXPECT_TRUE(found);
  EXPECT_EQ(sort, TopSort::kPid);
}

TEST(TopJson, HasWhatWasMeasured) {
  const auto json = nlohmann::json::parse(top_json(training(2)));
  EXPECT_EQ(json["schema"], "flatout.top/1");
  EXPECT_EQ(json["devices"].size(), 2U);
  EXPECT_EQ(json["steps"]["phases"]["data_wait"], 0.33);
  EXPECT_FALSE(json["devices"][0].contains("throttled"));
  run::Watched watched = training(1);
  watched.name = "\xff\x1b";
  watched.steps->per_s = kNone;
  EXPECT_FALSE(nlohmann::json::parse(top_json(watched))["steps"].contains("per_s"));
}

}  // namespace
}  // namespace flatout::report
