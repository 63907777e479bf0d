#include "cli/bench_data.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

namespace flatout::cli {
namespace {

using base::Result;

class OpenLoader {
 public:
  OpenLoader(const app::DataLibrary& library, flatout_loader* loader)
      : library_(library), loader_(loader, library.close) {}

  std::int64_t samples() const { return library_.samples(loader_.get()); }
  nlohmann::json stats() const {
    return nlohmann::json::parse(library_.stats(loader_.get()), nullptr, false);
  }

  // Goes through an epoch; `each` is called with every batch. Samples that came.
  template <typename Each>
  Result<std::int64_t> epoch(std::uint32_t number, Each each) {
    if (library_.begin(loader_.get(), number, nullptr, 0) != FLATOUT_OK) return failed();
    std::int64_t came = 0;
    for (flatout_batch* batch = nullptr;;) {
      const int status = library_.next(loader_.get(), &batch);
      if (status == FLATOUT_END) return came;
      if (status != FLATOUT_OK) return failed();
      came += library_.batch_size(batch);
      library_.batch_free(batch);
      each();
    }
  }

 private:
  std::unexpected<base::Error> failed() const {
    return base::fail(base::ErrorCode::kInvalid, library_.error());
  }

  const app::DataLibrary& library_;
  std::unique_ptr<flatout_loader, decltype(&flatout_loader_close)> loader_;
};

std::int64_t number(const nlohmann::json& stats, const char* key) {
  const auto found = stats.is_object() ? stats.find(key) : stats.end();
  return stats.is_object() && found != stats.end() && found->is_number_integer()
             ? found->get<std::int64_t>()
             : 0;
}

// Of a cache in memory: what it holds, and what was found there between the two.
std::optional<BenchCache> cache_of(const nlohmann::json& before, const nlohmann::json& after) {
  const auto memory_of = [](const nlohmann::json& stats) {
    const auto cache = stats.is_object() ? stats.find("cache") : stats.end();
    return stats.is_object() && cache != stats.end() && cache->is_object()
               ? cache->value("memory", nlohmann::json())
               : nlohmann::json();
  };
  const nlohmann::json was = memory_of(before), is = memory_of(after);
  if (!is.is_object()) return std::nullopt;
  return BenchCache{.samples = number(is, "samples"),
                    .bytes = number(is, "bytes"),
                    .hits = number(is, "hits") - number(was, "hits"),
                    .misses = number(is, "misses") - number(was, "misses")};
}

double ms_each(base::DurationNs total, std::int64_t samples) {
  return samples == 0
             ? 0
             : static_cast<double>(total) / base::kMillisecond / static_cast<double>(samples);
}

base::DurationNs busy_ns(const BenchData& bench) {
  return bench.read_ns + bench.decode_ns + bench.transform_ns;
}

using Stage = std::pair<const char*, base::DurationNs>;

const char* plural(int count) { return count == 1 ? "" : "s"; }

std::array<Stage, 3> stages(const BenchData& bench) {
  return {Stage{"reading", bench.read_ns}, Stage{"decoding", bench.decode_ns},
          Stage{"transforming", bench.transform_ns}};
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double ceiling_per_s(const BenchData& bench) {
  const base::DurationNs busy = busy_ns(bench);
  if (busy <= 0) return 0;
  return static_cast<double>(bench.threads) * static_cast<double>(bench.made) * base::kSecond /
         static_cast<double>(busy);
}

Result<BenchData> bench_data(const app::DataLibrary& library, const std::string& spec, int epochs,
                             const base::Clock& clock) {
  const base::TimeNs begin = clock.monotonic();
  flatout_loader* opened = nullptr;
  if (library.open(spec.c_str(), &opened) != FLATOUT_OK) {
    return base::fail(base::ErrorCode::kInvalid, library.error());
  }
  OpenLoader loader(library, opened);
  BenchData out;
  out.samples = loader.samples();
  const auto first = loader.epoch(0, [&] {
    if (out.first_batch_ns == 0) out.first_batch_ns = clock.monotonic() - begin;
  });
  if (!first) return std::unexpected(first.error());
  if (*first == 0)
    return base::fail(base::ErrorCode::kInvalid, "an epoch has no batch: nothing was measured");
  const auto before = loader.stats();
  for (int epoch = 1; epoch <= epochs; ++epoch) {
    const base::TimeNs from = clock.monotonic();
    const auto came = loader.epoch(static_cast<std::uint32_t>(epoch), [] {});
    if (!came) return std::unexpected(came.error());
    const base::DurationNs took = std::max<base::DurationNs>(1, clock.monotonic() - from);
    out.samples_per_s.push_back(static_cast<double>(*came) * base::kSecond /
                                static_cast<double>(took));
  }
  const auto after = loader.stats();
  const auto grown = [&](const char* key) { return number(after, key) - number(before, key); };
  out.threads = static_cast<int>(number(after, "threads"));
  out.read_ns = grown("read_ns");
  out.decode_ns = grown("decode_ns");
  out.transform_ns = grown("transform_ns");
  out.made = grown("samples");
  out.skipped = grown("skipped_samples");
  out.cache = cache_of(before, after);
  return out;
}

std::string bench_data_text(const BenchData& bench, const std::string& what) {
  const auto [least, most] = std::ranges::minmax(bench.samples_per_s);
  char line[200];
  std::snprintf(line, sizeof line, ": %lld samples, %d thread%s, %zu epoch%s after one\n",
                static_cast<long long>(bench.samples), bench.threads, plural(bench.threads),
                bench.samples_per_s.size(), plural(static_cast<int>(bench.samples_per_s.size())));
  std::string out = what + line;
  std::snprintf(
      line, sizeof line,
      "%.0f samples/s (%.0f to %.0f); first batch after %.2f s\n\nof a thread's time, per "
      "sample\n",
      median(bench.samples_per_s), least, most,
      static_cast<double>(bench.first_batch_ns) / base::kSecond);
  out += line;
  const auto busy = static_cast<double>(std::max<base::DurationNs>(1, busy_ns(bench)));
  Stage largest{"", -1};
  for (const Stage& stage : stages(bench)) {
    std::snprintf(line, sizeof line, "  %-13s%8.3f ms %4.0f %%\n", stage.first,
                  ms_each(stage.second, bench.made),
                  100 * static_cast<double>(stage.second) / busy);
    out += line;
    if (stage.second > largest.second) largest = stage;
  }
  std::snprintf(line, sizeof line,
                "ceiling: %.0f samples/s, if %d thread%s did nothing else; %s is most of it\n",
                ceiling_per_s(bench), bench.threads, plural(bench.threads), largest.first);
  out += line;
  if (bench.cache) {
    const std::int64_t asked = std::max<std::int64_t>(1, bench.cache->hits + bench.cache->misses);
    std::snprintf(line, sizeof line,
                  "kept in memory: %lld samples, %.0f MiB; %.0f %% found there\n",
                  static_cast<long long>(bench.cache->samples),
                  static_cast<double>(bench.cache->bytes) / (1 << 20),
                  100 * static_cast<double>(bench.cache->hits) / static_cast<double>(asked));
    out += line;
  }
  if (bench.skipped > 0) out += std::to_string(bench.skipped) + " bad samples were left out\n";
  return out;
}

std::string bench_data_json(const BenchData& bench) {
  nlohmann::ordered_json cache;  // null: none
  if (bench.cache) {
    cache = {{"samples", bench.cache->samples},
             {"bytes", bench.cache->bytes},
             {"hits", bench.cache->hits},
             {"misses", bench.cache->misses}};
  }
  return nlohmann::ordered_json{
             {"schema", "flatout.bench_data/1"},
             {"samples", bench.samples},
             {"threads", bench.threads},
             {"first_batch_s", static_cast<double>(bench.first_batch_ns) / base::kSecond},
             {"samples_per_s", bench.samples_per_s},
             {"median_samples_per_s", median(bench.samples_per_s)},
             {"ceiling_samples_per_s", ceiling_per_s(bench)},
             {"read_ms", ms_each(bench.read_ns, bench.made)},
             {"decode_ms", ms_each(bench.decode_ns, bench.made)},
             {"transform_ms", ms_each(bench.transform_ns, bench.made)},
             {"skipped_samples", bench.skipped},
             {"cache", std::move(cache)}}
             .dump(2) +
         "\n";
}

}  // namespace flatout::cli
