#include "cudnn/engine.h"

#include <array>

#include "cublas/tf32_override.h"
#include "cudnn/backend_numbers.h"

namespace simgpu::cudnn {
namespace {

struct Slot {
  bool tensor_cores;
  bool nondeterministic;  // adds up with atomics: gradients alone
  int tile;
  unsigned turn;  // where it stands among its kind
};
constexpr std::array<Slot, 5> kConvolutionSlots = {{
    {false, false, 128, 0},
    {true, false, 128, 0},
    {true, false, 256, 1},
    {true, true, 128, 2},
    {false, false, 64, 1},
}};
// The order of the heuristics. Each kind's own first.
constexpr std::array<std::int64_t, 5> kConvolutionRanking = {1, 2, 3, 0, 4};

std::optional<FlopType> tensor_core_type(cudnnDataType_t type, const DeviceSpec& spec) {
  switch (type) {
    case CUDNN_DATA_HALF:
      return FlopType::kF16;
    case CUDNN_DATA_BFLOAT16:
      return spec.bf16 > 0 ? std::optional(FlopType::kBf16) : std::nullopt;
    case CUDNN_DATA_FLOAT:
      return spec.tf32 > 0 && !tf32_is_forbidden() ? std::optional(FlopType::kTf32) : std::nullopt;
    case CUDNN_DATA_INT8:
      return spec.i8 > 0 ? std::optional(FlopType::kI8) : std::nullopt;
    case CUDNN_DATA_FP8_E4M3:
    case CUDNN_DATA_FP8_E5M2:
      return spec.f8 > 0 ? std::optional(FlopType::kF8) : std::nullopt;
    default:
      return std::nullopt;
  }
}

// Multiply-add units take 16-bit floats by way of 32 bits. Bfloat16 needs compute capability 8.0 in
// any engine (cuDNN support matrix).
std::optional<FlopType> plain_type(cudnnDataType_t type, const DeviceSpec& spec) {
  switch (type) {
    case CUDNN_DATA_DOUBLE:
      return FlopType::kF64;
    case CUDNN_DATA_FLOAT:
    case CUDNN_DATA_HALF:
      return FlopType::kF32;
    case CUDNN_DATA_BFLOAT16:
      return spec.major >= 8 ? std::optional(FlopType::kF32) : std::nullopt;
    default:
      return std::nullopt;
  }
}

std::optional<Engine> convolution_engine(const GraphWork& work, const DeviceSpec& spec,
                                         std::int64_t index) {
  const Slot& slot = kConvolutionSlots[static_cast<std::size_t>(index)];
  const bool forward = work.pattern == Pattern::kConvolutionForward;
  if ((slot.nondeterministic && forward) || (slot.tensor_cores && !work.allows_tensor_cores)) {
    return std::nullopt;
  }
  const auto type =
      slot.tensor_cores ? tensor_core_type(work.type, spec) : plain_type(work.type, spec);
  if (!type) {
    return std::nullopt;
  }
  constexpr double kStep = 0.12;
  const unsigned kinds = slot.tensor_cores && !forward ? 3 : 2;
  const auto place = static_cast<double>((work.shape_hash + slot.turn) % kinds);
  return Engine{
      index, *type, slot.tensor_cores, slot.nondeterministic, slot.tile, 1 + kStep * place};
}

std::optional<Engine> other_engine(const GraphWork& work, const DeviceSpec& spec,
                                   std::int64_t index) {
  const bool multiplies = work.flops > 0;
  if (!multiplies) {
    return Engine{.index = index};
  }
  const auto on_tensor_cores = tensor_core_type(work.type, spec);
  if (on_tensor_cores) {
    return Engine{.index = index, .type = *on_tensor_cores, .tensor_cores = true};
  }
  const auto plain = plain_type(work.type, spec);
  return plain ? std::optional(Engine{.index = index, .type = *plain}) : std::nullopt;
}

}  // namespace

std::vector<int> Engine::numerical_notes() const {
  std::vector<int> notes;
  if (tensor_cores) {
    notes.push_back(kNoteTensorCore);
  }
  if (nondeterministic) {
    notes.push_back(kNoteNondeterministic);
  }
  return notes;
}

std::int64_t engine_count(const GraphWork& work) {
  return is_convolution(work.pattern) ? static_cast<std::int64_t>(kConvolutionSlots.size()) : 1;
}

std::optional<Engine> find_engine(const GraphWork& work, const DeviceSpec& spec,
                                  std::int64_t index) {
  if (index < 0 || index >= engine_count(work)) {
    return std::nullopt;
  }
  if (is_attention(work.pattern) &&
      (spec.major < 8 || (work.type != CUDNN_DATA_HALF && work.type != CUDNN_DATA_BFLOAT16))) {
    return std::nullopt;
  }
  return is_convolution(work.pattern) ? convolution_engine(work, spec, index)
                                      : other_engine(work, spec, index);
}

std::vector<Engine> ranked_engines(const GraphWork& work, const DeviceSpec& spec,
                                   int heuristics_mode) {
  std::vector<Engine> found;
  const auto add = [&](std::int64_t index) {
    if (const auto engine = find_engine(work, spec, index)) {
      found.push_back(*engine);
    }
  };
  if (!is_convolution(work.pattern)) {
    add(0);
  } else if (heuristics_mode == kModeFallback) {
    add(0);
    if (found.empty()) {
      add(1);
    }
  } else {
    for (const std::int64_t index : kConvolutionRanking) {
      add(index);
    }
  }
  return found;
}

}  // namespace simgpu::cudnn
