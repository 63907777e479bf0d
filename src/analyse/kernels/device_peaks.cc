#include "analyse/kernels/device_peaks.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/ascii.h"

namespace flatout::analyse {
namespace {

struct NamedPeaks {
  // All of them are words of the name, whatever their case; "" = none.
  std::array<std::string_view, 2> parts;
  DevicePeaks peaks;
};

using std::nullopt;

// The first that fits decides, so that what is more special stands first. Where a data sheet has
// figures with sparsity alone, half of them stand here.
constexpr auto kDevicePeaks = std::to_array<NamedPeaks>({
#include "analyse/kernels/device_peaks.inc"
});

bool is_word_char(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

bool holds_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_word_char(text[at - 1])) &&
        (end == text.size() || !is_word_char(text[end]))) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::optional<double> DevicePeaks::tflops(run::NumberType type, bool tensor_cores) const {
  switch (type) {
    case run::NumberType::kFloat32:
      return tensor_cores && tf32_tflops ? tf32_tflops : std::optional(float32_tflops);
    case run::NumberType::kFloat16:
      return float16_tflops;
    case run::NumberType::kBFloat16:
      return bfloat16_tflops;
    case run::NumberType::kFloat8:
      return float8_tflops;
    case run::NumberType::kFloat64:
    case run::NumberType::kUnknown:
      break;
  }
  return nullopt;
}

const DevicePeaks* device_peaks(std::string_view name) {
  const std::string text = base::lowered(name);
  const auto* const found = std::ranges::find_if(kDevicePeaks, [&](const NamedPeaks& named) {
    return std::ranges::all_of(
        named.parts, [&](std::string_view part) { return part.empty() || holds_word(text, part); });
  });
  return found == kDevicePeaks.end() ? nullptr : &found->peaks;
}

}  // namespace flatout::analyse
