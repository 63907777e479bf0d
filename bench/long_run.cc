// Records and seals a run of hours, made up, for bench/store_cost.py.
//
//   long_run record HOME SECONDS [BUSY]   a run of that length, with an end
//   long_run seal HOME ID TIMES           seals it so often; sealed after it
//
// BUSY: a file of busy shares of the device, one a line, for windows of 10 ms.
// Prints one JSON object. CPU times are of the one thread that there is.
#include <time.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "made_up_run.h"
#include "store/log_file.h"
#include "store/run_writer.h"
#include "store/seal.h"

namespace {

using namespace flatout;  // NOLINT(google-build-using-namespace): a program of one file
namespace fs = std::filesystem;

constexpr int kWorkers = 8;
constexpr std::uint64_t kSeed = 20;
constexpr int kBlockTicks = 500;  // made up at once, so that making is not measured
constexpr int kSlices = 20;       // of a recording; each has a speed of its own

double cpu_s() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

std::vector<double> busy_table(const char* path) {
  if (path == nullptr) return bench::made_up_busy(kSeed);
  std::ifstream file(path);
  std::vector<double> shares;
  for (double share = 0; file >> share;) shares.push_back(share);
  return shares;
}

void print_list(const char* key, const std::vector<double>& values) {
  std::cout << "\"" << key << "\": [";
  for (std::size_t i = 0; i < values.size(); ++i) std::cout << (i == 0 ? "" : ", ") << values[i];
  std::cout << "]";
}

class Recording {
 public:
  Recording(const store::Home& home, std::vector<double> busy)
      : writer_(store::RunWriter::open(home, clock_)),
        samples_(kWorkers, std::move(busy), kSeed),
        steps_(kWorkers, kSeed + 1) {}

  bool begin() {
    run::RunInfo info;
    info.id = writer_->id();
    info.name = "made-up";
    info.command = {"python", "made_up.py"};
    info.host = store::viewpoint_here().host;
    info.started_wall_ns = 1'700'000'000'000'000'000;
    info.started_ns = bench::kFirstNs;
    info.rate_hz = 10;
    info.program_pid = bench::kMainPid;
    info.cpus = 16;
    if (!writer_->begin(info)) return false;
    for (int i = 0; i <= kWorkers; ++i) (void)writer_->proc(process(i));
    run::Device device;
    device.name = "made up";
    (void)writer_->device(device);
    say_loader();
    return writer_->lane(bench::kMainPid, {.tid = bench::kMainPid, .is_main = true}).has_value();
  }

  // Adds `ticks` of samples with a flush each, as the recorder does it, then
  // the steps of that time. False when the store refused.
  bool add(int ticks) {
    std::vector<std::vector<run::Sample>> block(static_cast<std::size_t>(ticks));
    for (auto& tick : block) samples_.tick(tick);
    const double before = cpu_s();
    for (const auto& tick : block) {
      if (!writer_->samples(tick) || !writer_->flush()) return false;
    }
    sample_cpu_s += cpu_s() - before;
    for (const auto& tick : block) points += tick.size();
    ticks_ += ticks;
    return add_steps(bench::kFirstNs + ticks_ * bench::kTickNs);
  }

  bool end() {
    run::RunEnd end;
    end.t_ns = bench::kFirstNs + (ticks_ + 1) * bench::kTickNs;
    return writer_->end(end).has_value() && writer_->stored();
  }
  const std::string& id() const { return writer_->id(); }

  double sample_cpu_s = 0;
  std::uint64_t points = 0;
  std::uint64_t events = 0;

 private:
  // The main process, then its workers.
  static run::Proc process(int number) {
    run::Proc proc;
    proc.pid = bench::kMainPid + number;
    proc.parent = number == 0 ? 1 : bench::kMainPid;
    proc.seen_ns = bench::kFirstNs;
    proc.role = number == 0 ? run::ProcRole::kMain : run::ProcRole::kWorker;
    proc.worker_id = number - 1;
    proc.command = "python made_up.py";
    return proc;
  }

  // Whose batches the workers make: without it a report would not look at them.
  void say_loader() {
    std::string pids;
    for (int i = 1; i <= kWorkers; ++i) {
      pids += (i > 1 ? "," : "") + std::to_string(bench::kMainPid + i);
    }
    const auto say = [&](const char* key, std::string json) {
      (void)writer_->fact(bench::kMainPid, {bench::kFirstNs, key, std::move(json)});
    };
    say("loader", R"({"loader":1,"workers":)" + std::to_string(kWorkers) +
                      R"(,"batch_size":64,"prefetch_factor":2})");
    say("iterator", R"({"iterator":1,"loader":1,"worker_pids":[)" + pids + "]}");
  }

  bool add_steps(std::int64_t until_ns) {
    while (steps_.now_ns() < until_ns) {
      const auto step = steps_.step();
      pid_t worker = 0;
      const std::vector<run::Batch> batches = {steps_.batch(worker)};
      if (!writer_->phases(bench::kMainPid, step) || !writer_->batches(worker, batches) ||
          !writer_->flush()) {
        return false;
      }
      events += step.size() + batches.size();
    }
    return true;
  }

  base::FakeClock clock_;  // stands still: nothing waits for the disk
  std::unique_ptr<store::RunWriter> writer_;
  bench::MadeUpSamples samples_;
  bench::MadeUpSteps steps_;
  std::int64_t ticks_ = 0;
};

int record(const store::Home& home, int seconds, const char* busy) {
  auto table = busy_table(busy);
  if (table.empty()) return 2;
  Recording recording(home, std::move(table));
  if (!recording.begin()) return 1;
  std::vector<double> speeds;
  const int slice = std::max(1, seconds * 10 / kSlices);
  for (int i = 0; i < kSlices; ++i) {
    const auto points = recording.points;
    const double used = recording.sample_cpu_s;
    for (int left = slice; left > 0; left -= kBlockTicks) {
      if (!recording.add(std::min(left, kBlockTicks))) return 1;
    }
    speeds.push_back(static_cast<double>(recording.points - points) /
                     (recording.sample_cpu_s - used));
  }
  if (!recording.end()) return 1;
  std::cout << "{\"id\": \"" << recording.id() << "\", \"points\": " << recording.points
            << ", \"events\": " << recording.events
            << ", \"log_bytes\": " << fs::file_size(home.log(recording.id())) << ", ";
  print_list("points_per_s", speeds);
  std::cout << "}\n";
  return 0;
}

int seal(const store::Home& home, const std::string& id, int times) {
  const fs::path log = home.log(id);
  const fs::path kept = home.folder(id) / "kept.flo";
  const auto opened = store::open_log(home.folder(id));
  if (!opened) return 1;
  const auto payload = store::FrameReader::payload_bytes(*opened->source, opened->status.bytes);
  if (times > 1) fs::copy_file(log, kept);
  std::vector<double> wall, cpu;
  for (int i = 0; i < times; ++i) {
    if (i > 0) {
      fs::remove(home.folder(id) / store::kSealedFileName);
      fs::copy_file(kept, log);
    }
    const double cpu_before = cpu_s();
    const auto start = std::chrono::steady_clock::now();
    const auto done = store::seal_run(home, id, store::viewpoint_here());
    if (!done || *done != store::SealResult::kSealed) {
      std::cerr << "long_run: " << (done ? "not over" : done.error().message) << "\n";
      return 1;
    }
    wall.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    cpu.push_back(cpu_s() - cpu_before);
  }
  fs::remove(kept);
  std::cout << "{\"payload_bytes\": " << payload << ", ";
  print_list("wall_s", wall);
  std::cout << ", ";
  print_list("cpu_s", cpu);
  std::cout << "}\n";
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string_view> words(argv, argv + argc);
  if (argc >= 4 && words[1] == "record") {
    return record(store::Home::at(argv[2]), std::atoi(argv[3]), argc > 4 ? argv[4] : nullptr);
  }
  if (argc == 5 && words[1] == "seal")
    return seal(store::Home::at(argv[2]), argv[3], std::atoi(argv[4]));
  std::cerr << "usage: long_run record HOME SECONDS [BUSY] | long_run seal HOME ID TIMES\n";
  return 2;
}
