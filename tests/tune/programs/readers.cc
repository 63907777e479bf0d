// A training loop without Python whose samples wait, as if read from a network. As
// many threads as --workers fetch them, at most --ahead of them in advance; a step of 8
// samples takes 2 ms beside it, asleep too, as if a device computed: so other programs of
// the machine hardly matter.
//
//     readers [--workers N | --workers=N] [--ahead N | --ahead=N] [--declare] [--log] [--print]
//             [--harm-above N] [--fail-above N] [--hang-above N] [--silent]
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <flatout/flatout.hpp>
#include <mutex>
#include <thread>
#include <vector>

namespace {

constexpr int kBatch = 8;
constexpr auto kWait = std::chrono::microseconds(1500);  // of a sample
constexpr auto kCompute = std::chrono::microseconds(2000);

struct Options {
  long workers = 0, ahead = 2 * kBatch;
  bool declare = false, log = false, print = false, silent = false;
  long harm_above = 1000, fail_above = 1000, hang_above = 1000;
};

Options parse(int argc, char** argv) {
  Options out;
  const auto number = [&](int& i, const char* name, long& to) {
    const std::size_t length = std::strlen(name);
    if (std::strncmp(argv[i], name, length) != 0) return;
    if (argv[i][length] == '=') to = std::atol(argv[i] + length + 1);
    if (argv[i][length] == '\0' && i + 1 < argc) to = std::atol(argv[++i]);
  };
  for (int i = 1; i < argc; ++i) {
    const auto flag = [&](const char* name, bool& to) {
      to = to || std::strcmp(argv[i], name) == 0;
    };
    flag("--declare", out.declare);
    flag("--log", out.log);
    flag("--print", out.print);
    flag("--silent", out.silent);
    const int before = i;
    number(i, "--workers", out.workers);
    if (i == before) number(i, "--ahead", out.ahead);
    if (i == before) number(i, "--harm-above", out.harm_above);
    if (i == before) number(i, "--fail-above", out.fail_above);
    if (i == before) number(i, "--hang-above", out.hang_above);
  }
  const char* readers = std::getenv("READERS");  // as OMP_NUM_THREADS to OpenMP
  if (readers != nullptr) out.workers = std::atol(readers);
  return out;
}

// Samples that `workers` threads fetched; without one, the caller fetches.
class Reader {
 public:
  Reader(long workers, long ahead) : workers_(workers), ahead_(ahead) {
    for (long i = 0; i < workers; ++i) std::thread([this] { fetch(); }).detach();
  }

  void sample() {
    if (workers_ == 0) {
      std::this_thread::sleep_for(kWait);
      return;
    }
    std::unique_lock lock(mutex_);
    ready_.wait(lock, [this] { return count_ > 0; });
    --count_;
    taken_.notify_one();
  }

 private:
  void fetch() {
    for (;;) {
      std::this_thread::sleep_for(kWait);
      std::unique_lock lock(mutex_);
      taken_.wait(lock, [this] { return count_ < ahead_; });
      ++count_;
      ready_.notify_one();
    }
  }

  long workers_, ahead_;
  std::mutex mutex_;
  std::condition_variable ready_, taken_;
  long count_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  long workers = options.workers;
  if (options.declare) workers = flatout::knob("workers", workers, 0, 12);
  if (workers > options.fail_above) {
    std::fprintf(stderr, "no room for %ld workers\n", workers);
    std::_Exit(3);
  }
  if (workers > options.hang_above) std::this_thread::sleep_for(std::chrono::hours(1));
  static Reader reader(workers, options.ahead);
  for (int step = 0; step < 20000; ++step) {
    flatout::timed(flatout::kDataWait, [] {
      for (int i = 0; i < kBatch; ++i) reader.sample();
    });
    std::this_thread::sleep_for(kCompute);
    const double loss = std::exp(-step / 50.0) + (workers > options.harm_above ? 0.5 : 0);
    if (options.log) flatout::log("loss", loss, step);
    if (options.print) std::printf("step %d loss=%.6f\n", step, loss);
    if (!options.silent) flatout::step_end(kBatch);
  }
  std::_Exit(0);
}
