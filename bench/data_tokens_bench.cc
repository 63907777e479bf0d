// Batches of tokens beside memcpy. Three take turns of some milliseconds, so that what else the
// machine does meets all; the median of the ratios is what counts.
//
// Loader: 64 samples a batch, shuffled, from a file of 256 MiB in the page cache, by one thread
// through the whole engine; the consumer only takes and frees.
// "windows": memcpy of pieces that lie where the loader's samples lie, from 256 MiB of memory into
// a ring of as many batches as the loader has; each piece so long that as many bytes are read and
// written, together, as the loader reads and writes for a sample. What is compared is samples in a
// second.
// "in order": memcpy of the bytes that the loader writes, one batch behind the other, which a
// processor foresees.
// Time is CPU time of the one thread that works; "clock": by the clock, beside "windows".
//
//   data_tokens_bench [ROUNDS [PAGE]]     PAGE: a Markdown page is written there as well
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "data/feed/loader.h"
#include "data/tokens/bucketed_documents.h"
#include "data/tokens/packed_documents.h"
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

enum class Cut { kWindows, kJoined, kPacked, kBuckets };

struct Form {
  const char* name;
  ElementType from;
  ElementType to;
  Cut cut;
};
constexpr ElementType kUint16 = ElementType::kUint16;
constexpr ElementType kInt32 = ElementType::kInt32;
constexpr ElementType kInt64 = ElementType::kInt64;
constexpr Form kForms[] = {{"uint16 to int64, inputs and targets", kUint16, kInt64, Cut::kWindows},
                           {"uint16 to int32, inputs and targets", kUint16, kInt32, Cut::kWindows},
                           {"int32 to int64, inputs and targets", kInt32, kInt64, Cut::kWindows},
                           {"int32 to int32, inputs and targets", kInt32, kInt32, Cut::kWindows},
                           {"uint16 to int64, joined", kUint16, kInt64, Cut::kJoined},
                           {"uint16 to int32, joined", kUint16, kInt32, Cut::kJoined},
                           {"int32 as it is, joined", kInt32, kInt32, Cut::kJoined},
                           {"int64 as it is, joined", kInt64, kInt64, Cut::kJoined},
                           {"uint16 to int64, packed documents", kUint16, kInt64, Cut::kPacked},
                           {"uint16 to int64, buckets", kUint16, kInt64, Cut::kBuckets}};

struct Speed {
  double core = 0;  // samples in a second of CPU time
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

// Documents of 100 to 1023 tokens, in no order of length.
Documents documents_of(const TokenStream& stream) {
  std::vector<std::int64_t> bounds = {0};
  for (std::uint32_t draw = 1; bounds.back() < stream.tokens();
       draw = draw * 1664525U + 1013904223U)
    bounds.push_back(std::min(stream.tokens(), bounds.back() + 100 + (draw >> 8) % 924));
  return Documents(bounds);
}

std::shared_ptr<const ArraySource> open(const std::string& path, const Form& form) {
  TokenStream stream = TokenStream::open({path}, {.type = form.from}).value();
  switch (form.cut) {
    case Cut::kPacked: {
      const Documents documents = documents_of(stream);
      return PackedDocuments::make(std::move(stream), documents,
                                   {.length = kLength, .out = form.to})
          .value();
    }
    case Cut::kBuckets: {
      Documents documents = documents_of(stream);
      return BucketedDocuments::make(std::move(stream), std::move(documents),
                                     {.lengths = {kLength}, .out = form.to})
          .value();
    }
    default:
      return TokenWindows::make(
                 std::move(stream),
                 {.length = kLength, .joined = form.cut == Cut::kJoined, .out = form.to})
          .value();
  }
}

// The engine makes some batches; CPU time is that of its thread.
class Loading {
 public:
  explicit Loading(const std::shared_ptr<const ArraySource>& set)
      : set_(set), loader_(start(set)) {}

  Speed round() {
    const std::size_t samples = kBatch * kBatchesOfRound;
    if (at_ + samples > order_.size()) {
      order_ = epoch_order(set_->size(), epoch_++, {.shuffle = true});
      at_ = 0;
    }
    const auto begin = order_.begin() + static_cast<std::ptrdiff_t>(at_);
    at_ += samples;
    const auto cpu = loader_.engine().stats().thread_times.cpu;
    const auto since = read_clock_ns(CLOCK_MONOTONIC);
    (void)loader_.begin(0, {begin, begin + static_cast<std::ptrdiff_t>(samples)});
    for (std::size_t i = 0; i < kBatchesOfRound; ++i) {
      if (!loader_.next().value()) std::abort();
    }
    const auto took = read_clock_ns(CLOCK_MONOTONIC) - since;
    return {1e9 * static_cast<double>(samples) /
                static_cast<double>(loader_.engine().stats().thread_times.cpu - cpu),
            1e9 * static_cast<double>(samples) / static_cast<double>(took)};
  }

 private:
  static Loader start(const std::shared_ptr<const ArraySource>& set) {
    const std::size_t bytes = set->most_sample_bytes();
    auto engine = Engine::start({.threads = 1,
                                 .sample_bytes = bytes,
                                 .batch_size = kBatch,
                                 .ahead = kAhead,
                                 .extra_bytes = 4 * kArrayAlignment,
                                 .claim = std::max<std::size_t>((std::size_t{1} << 17) / bytes, 1)},
                                [set] { return set->maker(set); });
    return {std::move(*engine), bytes, {.batch_size = kBatch, .ahead = kAhead}};
  }

  std::shared_ptr<const ArraySource> set_;
  Loader loader_;
  std::vector<std::int64_t> order_;
  std::size_t at_ = 0;
  std::uint32_t epoch_ = 0;
};

// memcpy of a piece for each sample: from `places`, in turn, or one after the other.
class Copying {
 public:
  Copying(const std::vector<std::byte>& source, std::size_t piece, std::vector<std::size_t> places)
      : source_(source), ring_(kRing * kBatch * piece), piece_(piece), places_(std::move(places)) {}

  Speed round() {
    const std::size_t samples = kBatch * kBatchesOfRound;
    const auto cpu = read_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    const auto since = read_clock_ns(CLOCK_MONOTONIC);
    for (std::size_t i = 0; i < samples; ++i, ++at_) {
      std::byte* const to = ring_.data() + i % (kRing * kBatch) * piece_;
      std::memcpy(to, source_.data() + places_[at_ % places_.size()], piece_);
      asm volatile("" : : "r"(to) : "memory");
    }
    const auto copied = 1e9 * static_cast<double>(samples);
    return {copied / static_cast<double>(read_clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu),
            copied / static_cast<double>(read_clock_ns(CLOCK_MONOTONIC) - since)};
  }

 private:
  const std::vector<std::byte>& source_;
  std::vector<std::byte> ring_;
  std::size_t piece_;
  std::vector<std::size_t> places_;
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

// Where samples lie, in the order in which they are drawn; all of `piece` bytes after each other
// where `shuffle` is false.
std::vector<std::size_t> places(std::size_t apart, std::size_t piece, bool shuffle) {
  const std::size_t count = (kFileBytes - piece) / apart;
  std::vector<std::size_t> out;
  for (const std::int64_t index :
       epoch_order(static_cast<std::int64_t>(count), 7, {.shuffle = shuffle}))
    out.push_back(static_cast<std::size_t>(index) * apart);
  return out;
}

struct Compared {
  const char* name;
  double gigabytes;  // read and written in a second of CPU time
  Spread windows, in_order, clock;
};

Compared compare(const std::string& path, const Form& form, const std::vector<std::byte>& memory,
                 int rounds) {
  const auto set = open(path, form);
  const std::size_t written = set->most_sample_bytes();
  // On average: all tokens of the file are in some sample.
  const std::size_t read = kFileBytes / static_cast<std::size_t>(set->size());
  const std::size_t piece = (read + written) / 2;
  Loading loading(set);
  Copying windows(memory, piece, places(read, piece, /*shuffle=*/true));
  Copying in_order(memory, written, places(written, written, /*shuffle=*/false));
  std::vector<double> core, of_windows, of_order, of_clock;
  for (int round = -rounds / 10; round < rounds; ++round) {
    const Speed loaded = loading.round();
    const Speed pieces = windows.round();
    const Speed straight = in_order.round();
    if (round < 0) continue;  // memory is touched for the first time
    core.push_back(loaded.core * static_cast<double>(read + written) / 1e9);
    of_windows.push_back(100 * loaded.core / pieces.core);
    of_order.push_back(100 * loaded.core / straight.core);
    of_clock.push_back(100 * loaded.clock / pieces.clock);
  }
  return {form.name, Spread(core).median, Spread(of_windows), Spread(of_order), Spread(of_clock)};
}

void print(std::FILE* to, const char* line, const Compared& one) {
  std::fprintf(to, line, one.name, one.gigabytes, one.windows.median, one.windows.low,
               one.windows.high, one.in_order.median, one.in_order.low, one.in_order.high,
               one.clock.median, one.clock.low, one.clock.high);
}

constexpr const char* kColumns =
    "%-36s %5.1f  %4.0f %% (%3.0f to %3.0f)  %4.0f %% (%3.0f to %3.0f)  %4.0f %% (%3.0f to "
    "%3.0f)\n";
constexpr const char* kRow =
    "| %s | %.1f | %.0f %% (%.0f to %.0f) | %.0f %% (%.0f to %.0f) | %.0f %% (%.0f to %.0f) |\n";
constexpr const char* kPage = R"(# Tokens beside memcpy

Generated by `bench/data_tokens_bench.cc`, whose head says what is compared; not to be edited.

Batches of 64 shuffled samples of %lld tokens, one thread, a file of 256 MiB in the page cache; medians of %d
turns, 10th to 90th percentile. *Windows*: `memcpy` of pieces from the places where the samples lie, as
many bytes read and written. *In order*: `memcpy` of the bytes that are written, one batch behind the other. Samples in a
second of the CPU time of the one thread that works, as a share of memcpy's; *clock*: by the clock, beside *windows*.

| form | GB/s read and written | windows | in order | clock |
| --- | --- | --- | --- | --- |
)";

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::max(std::atoi(argv[1]), 10) : 200;
  const std::string path = file_of_tokens();
  const std::vector<std::byte> memory(kFileBytes, std::byte{7});
  std::FILE* const page = argc > 2 ? std::fopen(argv[2], "w") : nullptr;
  if (argc > 2 && page == nullptr) {
    std::perror(argv[2]);
    return 1;
  }
  if (page != nullptr) std::fprintf(page, kPage, static_cast<long long>(kLength), rounds);
  std::printf("%-36s  GB/s  windows             in order            clock\n", "of one core");
  for (const Form& form : kForms) {
    const Compared one = compare(path, form, memory, rounds);
    print(stdout, kColumns, one);
    if (page != nullptr) print(page, kRow, one);
  }
  return page != nullptr && std::fclose(page) != 0 ? 1 : 0;
}
