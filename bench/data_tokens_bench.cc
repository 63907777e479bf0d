// Batches of token windows against memcpy of as many bytes, by one thread each: 64 windows of 1024
// tokens, shuffled, from a file in the page cache, through the whole engine, where the consumer
// only takes and frees; and memcpy of batches of the same size, one behind the other, from 256 MiB
// of memory into a ring of as many batches as the loader has. Bytes are those that are written. To
// be run with --benchmark_enable_random_interleaving=true --benchmark_repetitions=9.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "data/feed/loader.h"
#include "data/tokens/token_windows.h"

namespace {

using namespace flatout::data;  // NOLINT(google-build-using-namespace): a program of one file

constexpr std::size_t kBatch = 64;
constexpr std::int64_t kLength = 1024;
constexpr std::size_t kFileBytes = std::size_t{256} << 20;
constexpr std::size_t kRing = 4;  // those ahead, the one that is kept, the consumer's

// A file without a place in a folder: memory that is read like the page cache.
const std::string& file_of_tokens() {
  static const std::string path = [] {
    const int file = ::memfd_create("tokens", MFD_CLOEXEC);
    std::vector<std::uint32_t> part(1 << 18);
    for (std::size_t i = 0; i < part.size(); ++i)  // as uint16 and as int32 small enough
      part[i] = static_cast<std::uint32_t>(i * 2654435761U) & 0x7FFF7FFFU;
    for (std::size_t done = 0; done < kFileBytes; done += part.size() * 4) {
      if (::write(file, part.data(), part.size() * 4) != std::ssize(part) * 4) std::abort();
    }
    return "/proc/self/fd/" + std::to_string(file);
  }();
  return path;
}

std::shared_ptr<const TokenWindows> windows(ElementType from, ElementType to, bool joined) {
  auto stream = TokenStream::open({file_of_tokens()}, {.type = from});
  return *TokenWindows::make(std::move(*stream), {.length = kLength, .joined = joined, .out = to});
}

void deliver(benchmark::State& state, ElementType from, ElementType to, bool joined) {
  const auto set = windows(from, to, joined);
  const std::size_t bytes = set->most_sample_bytes();
  auto engine = Engine::start({.threads = 1,
                               .sample_bytes = bytes,
                               .batch_size = kBatch,
                               .ahead = kRing - 2,
                               .extra_bytes = 2 * kArrayAlignment,
                               .claim = std::max<std::size_t>((std::size_t{1} << 16) / bytes, 1)},
                              [&set] { return set->maker(set); });
  Loader loader(std::move(*engine), bytes,
                {.batch_size = kBatch, .drop_last = true, .ahead = kRing - 2});
  std::uint32_t epoch = 0;
  const auto begin = [&] {
    (void)loader.begin(epoch, epoch_order(set->size(), epoch, {.shuffle = true}));
    ++epoch;
  };
  begin();
  for (auto _ : state) {
    auto batch = loader.next();
    if (batch && !*batch) {
      state.PauseTiming();
      begin();
      state.ResumeTiming();
      batch = loader.next();
    }
    if (!batch || !*batch) return state.SkipWithError("no batch");
    benchmark::DoNotOptimize((*batch)->memory.get());
  }
  const auto batches = static_cast<double>(state.iterations());
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes * kBatch));
  state.counters["tokens/s"] =
      benchmark::Counter(batches * kBatch * kLength, benchmark::Counter::kIsRate);
}

void copy(benchmark::State& state, std::size_t bytes) {
  static const std::vector<std::byte> source(kFileBytes, std::byte{7});
  std::vector<std::vector<std::byte>> ring(kRing, std::vector<std::byte>(bytes));
  std::size_t at = 0;
  std::size_t turn = 0;
  for (auto _ : state) {
    if (at + bytes > source.size()) at = 0;
    std::memcpy(ring[turn++ % kRing].data(), source.data() + at, bytes);
    benchmark::DoNotOptimize(ring.data());
    benchmark::ClobberMemory();
    at += bytes;
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes));
}

void uint16_to_int64(benchmark::State& state) {
  deliver(state, ElementType::kUint16, ElementType::kInt64, false);
}
void uint16_to_int64_joined(benchmark::State& state) {
  deliver(state, ElementType::kUint16, ElementType::kInt64, true);
}
void uint16_to_int32(benchmark::State& state) {
  deliver(state, ElementType::kUint16, ElementType::kInt32, false);
}
void int32_to_int64(benchmark::State& state) {
  deliver(state, ElementType::kInt32, ElementType::kInt64, false);
}
void int32_joined_as_it_is(benchmark::State& state) {
  deliver(state, ElementType::kInt32, ElementType::kInt32, true);
}
constexpr std::size_t kPair = 2 * kBatch * kLength;
void memcpy_of_int64_pairs(benchmark::State& state) { copy(state, kPair * 8); }
void memcpy_of_int32_pairs(benchmark::State& state) { copy(state, kPair * 4); }
void memcpy_of_int32_joined(benchmark::State& state) { copy(state, kPair * 2 + 4 * kBatch); }

BENCHMARK(memcpy_of_int64_pairs)->UseRealTime();
BENCHMARK(uint16_to_int64)->UseRealTime();
BENCHMARK(int32_to_int64)->UseRealTime();
BENCHMARK(memcpy_of_int32_pairs)->UseRealTime();
BENCHMARK(uint16_to_int64_joined)->UseRealTime();
BENCHMARK(uint16_to_int32)->UseRealTime();
BENCHMARK(memcpy_of_int32_joined)->UseRealTime();
BENCHMARK(int32_joined_as_it_is)->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
