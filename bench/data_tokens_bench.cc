// Batches of token windows beside memcpy of as many bytes. Both alternate, some milliseconds each,
// so that what else the machine does meets both; the median of the ratios is what counts.
//
// Loader: 64 windows of 1024 tokens, shuffled, from a file of 256 MiB in the page cache, by one
// thread through the whole engine; the consumer only takes and frees. memcpy: batches of the same
// bytes, one behind the other, from 256 MiB of memory into a ring of as many batches as the loader
// has. Bytes are those written. "core": bytes in a second of the CPU time of the one thread that
// writes, in GB; "clock": in a second that passes.
//
//   data_tokens_bench [ROUNDS]
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "data/feed/loader.h"
#include "data/tokens/token_windows.h"

namespace {

using namespace flatout::data;  // NOLINT(google-build-using-namespace): a program of one file
using flatout::base::read_clock_ns;

constexpr std::size_t kBatch = 64;
constexpr std::int64_t kLength = 1024;
constexpr std::size_t kFileBytes = std::size_t{256} << 20;
constexpr std::size_t kAhead = 2;
constexpr std::size_t kRing = kAhead + 2;  // with the one that is kept, and the consumer's
constexpr std::size_t kBatchesOfRound = 16;

struct Form {
  const char* name;
  ElementType from;
  ElementType to;
  bool joined;
};
constexpr Form kForms[] = {
    {"uint16 to int64, inputs and targets", ElementType::kUint16, ElementType::kInt64, false},
    {"uint16 to int32, inputs and targets", ElementType::kUint16, ElementType::kInt32, false},
    {"int32 to int64, inputs and targets", ElementType::kInt32, ElementType::kInt64, false},
    {"uint16 to int64, joined", ElementType::kUint16, ElementType::kInt64, true},
    {"int32 as it is, joined", ElementType::kInt32, ElementType::kInt32, true}};

struct Speed {
  double core = 0;
  double clock = 0;
};

// A file of the temporary folder, whose name is gone at once, so that it goes with this program.
std::string file_of_tokens() {
  std::string name = std::filesystem::temp_directory_path() / "tokens-XXXXXX";
  const int file = ::mkstemp(name.data());
  if (file < 0 || ::unlink(name.c_str()) != 0) std::abort();
  std::vector<std::uint32_t> part(1 << 18);
  for (std::size_t i = 0; i < part.size(); ++i)
    part[i] = static_cast<std::uint32_t>(i * 2654435761U) & 0x7FFF7FFFU;
  for (std::size_t done = 0; done < kFileBytes; done += part.size() * 4) {
    if (::write(file, part.data(), part.size() * 4) != std::ssize(part) * 4) std::abort();
  }
  return "/proc/self/fd/" + std::to_string(file);
}

class Loading {
 public:
  Loading(const std::string& path, const Form& form)
      : set_(open(path, form)), loader_(start(set_)) {}

  std::size_t batch_bytes() const { return set_->most_sample_bytes() * kBatch; }

  Speed round() {
    if (at_ + kBatch * kBatchesOfRound > order_.size()) {
      order_ = epoch_order(set_->size(), epoch_++, {.shuffle = true});
      at_ = 0;
    }
    const auto begin = order_.begin() + static_cast<std::ptrdiff_t>(at_);
    at_ += kBatch * kBatchesOfRound;
    const auto cpu = loader_.engine().stats().thread_times.cpu;
    const auto since = read_clock_ns(CLOCK_MONOTONIC);
    (void)loader_.begin(0, {begin, begin + kBatch * kBatchesOfRound});
    for (std::size_t i = 0; i < kBatchesOfRound; ++i) {
      if (!loader_.next().value()) std::abort();
    }
    const auto took = read_clock_ns(CLOCK_MONOTONIC) - since;
    const auto bytes = static_cast<double>(batch_bytes() * kBatchesOfRound);
    return {bytes / static_cast<double>(loader_.engine().stats().thread_times.cpu - cpu),
            bytes / static_cast<double>(took)};
  }

 private:
  static std::shared_ptr<const TokenWindows> open(const std::string& path, const Form& form) {
    auto stream = TokenStream::open({path}, {.type = form.from});
    return TokenWindows::make(std::move(*stream),
                              {.length = kLength, .joined = form.joined, .out = form.to})
        .value();
  }

  static Loader start(const std::shared_ptr<const TokenWindows>& set) {
    const std::size_t bytes = set->most_sample_bytes();
    auto engine = Engine::start({.threads = 1,
                                 .sample_bytes = bytes,
                                 .batch_size = kBatch,
                                 .ahead = kAhead,
                                 .extra_bytes = 2 * kArrayAlignment,
                                 .claim = std::max<std::size_t>((std::size_t{1} << 16) / bytes, 1)},
                                [set] { return set->maker(set); });
    return {std::move(*engine), bytes, {.batch_size = kBatch, .ahead = kAhead}};
  }

  std::shared_ptr<const TokenWindows> set_;
  Loader loader_;
  std::vector<std::int64_t> order_;
  std::size_t at_ = 0;
  std::uint32_t epoch_ = 0;
};

class Copying {
 public:
  explicit Copying(std::size_t batch_bytes)
      : source_(kFileBytes, std::byte{7}), ring_(kRing, std::vector<std::byte>(batch_bytes)) {}

  Speed round() {
    const std::size_t bytes = ring_.front().size();
    const auto cpu = read_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    const auto since = read_clock_ns(CLOCK_MONOTONIC);
    for (std::size_t i = 0; i < kBatchesOfRound; ++i, at_ += bytes) {
      if (at_ + bytes > source_.size()) at_ = 0;
      std::byte* const to = ring_[i % kRing].data();
      std::memcpy(to, source_.data() + at_, bytes);
      asm volatile("" : : "r"(to) : "memory");
    }
    const auto copied = static_cast<double>(bytes * kBatchesOfRound);
    return {copied / static_cast<double>(read_clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu),
            copied / static_cast<double>(read_clock_ns(CLOCK_MONOTONIC) - since)};
  }

 private:
  std::vector<std::byte> source_;
  std::vector<std::vector<std::byte>> ring_;
  std::size_t at_ = 0;
};

struct Spread {
  explicit Spread(std::vector<double> values) {
    std::ranges::sort(values);
    const auto at = [&](std::size_t tenths) { return values[(values.size() - 1) * tenths / 10]; };
    low = at(1);
    median = at(5);
    high = at(9);
  }
  double low, median, high;
};

void compare(const std::string& path, const Form& form, int rounds) {
  Loading loading(path, form);
  Copying copying(loading.batch_bytes());
  std::vector<double> core, copied, core_ratio, clock_ratio;
  for (int round = -rounds / 10; round < rounds; ++round) {
    const Speed loaded = loading.round();
    const Speed reference = copying.round();
    if (round < 0) continue;  // memory is touched for the first time
    core.push_back(loaded.core);
    copied.push_back(reference.core);
    core_ratio.push_back(loaded.core / reference.core);
    clock_ratio.push_back(loaded.clock / reference.clock);
  }
  const Spread ratio(core_ratio);
  const Spread clock(clock_ratio);
  std::printf("%-36s %5.2f  %5.2f  %4.0f %% (%3.0f to %3.0f)  %4.0f %% (%3.0f to %3.0f)\n",
              form.name, Spread(core).median, Spread(copied).median, 100 * ratio.median,
              100 * ratio.low, 100 * ratio.high, 100 * clock.median, 100 * clock.low,
              100 * clock.high);
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::max(std::atoi(argv[1]), 10) : 200;
  const std::string path = file_of_tokens();
  std::printf("%-36s loader memcpy   core (10th to 90th)  clock\n", "of one core, GB/s");
  for (const Form& form : kForms) compare(path, form, rounds);
  return 0;
}
