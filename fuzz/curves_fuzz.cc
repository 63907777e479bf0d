// Any bytes as the kept sums of a recording's curves. The first byte chooses: the bytes as a whole
// file, as its table and levels behind a header that fits, or as the levels of one curve, past
// their checksum. Whatever comes of it, the pyramids hold what they say, and a part of them can be
// asked for.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/little_endian.h"
#include "scratch.h"
#include "store/curves/kept_curves.h"
#include "store/sealed/packing.h"

namespace {

using namespace flatout;  // NOLINT(google-build-using-namespace): a program of one file

constexpr store::RecordingStamp kStamp{.sealed = true, .bytes = 5, .changed_ns = 7, .tail = 9};
constexpr std::size_t kHeaderBytes = 72;

// The table's length is at the front of `bytes`; checksums are put right.
std::string with_header(std::string_view bytes) {
  if (bytes.size() < 2) return {};
  const auto length = std::min<std::size_t>(base::load<std::uint16_t>(bytes, 0), bytes.size() - 2);
  bytes.remove_prefix(2);
  const auto table = bytes.substr(0, length);
  std::string out("FLSUMS\x1a\n", 8);
  base::append(out, std::uint32_t{1});
  base::append(out, std::uint32_t{0});
  base::append(out, std::uint64_t{1});
  base::append(out, kStamp.bytes);
  base::append(out, kStamp.changed_ns);
  base::append(out, kStamp.tail);
  base::append(out, std::uint64_t{table.size()});
  base::append(out, store::checksum_of(table, 1));
  base::append(out, store::checksum_of(out, 0));
  if (out.size() != kHeaderBytes) std::abort();
  return out.append(bytes);
}

void ask(store::SummedCurve& curve) {
  const store::Pyramid& all = curve.pyramid;
  std::size_t points = 0;
  for (std::size_t level = 0; level < all.levels(); ++level) {
    const auto entries = all.entries(level, 0, all.size(level));
    if (entries.size() != all.size(level)) std::abort();
    if (level == 0) points = entries.size() * store::Pyramid::kBasePoints;
    for (std::size_t i = 1; i < entries.size(); ++i) {
      if (i + 1 < entries.size() && entries[i].t_ns < entries[i - 1].t_ns) std::abort();
    }
  }
  if (points < all.count()) std::abort();
  curve.pyramid.add(all.last_ns(), 1, 2);
}

// Levels of as many points as the first two bytes say.
void read_levels(std::string_view bytes) {
  if (bytes.size() < 2) return;
  store::Pyramid::Summary summary;
  summary.count = base::load<std::uint16_t>(bytes, 0) + std::uint64_t{1};
  summary.first_ns = -(std::int64_t{1} << 59);
  summary.whole.t_ns = std::int64_t{1} << 59;
  store::SummedCurve curve;
  curve.pyramid = store::Pyramid(summary);
  if (curve.pyramid.set_levels(bytes.substr(2))) ask(curve);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::Scratch scratch;
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] == 2) {
    read_levels(rest);
    return 0;
  }
  fuzz::write_file(scratch.path() / store::kKeptCurvesName,
                   data[0] == 0 ? std::string(rest) : with_header(rest));
  store::CurveSums sums;
  auto kept = store::KeptCurves::open(scratch.path(), kStamp, sums);
  if (!kept && !sums.curves().empty()) std::abort();
  if (!kept) return 0;
  for (const auto& curve : sums.curves()) {
    if (curve->kept && kept->load(*curve)) ask(*curve);
  }
  return 0;
}
