// What an op of a framework has to compute and to move, from the shapes that a trace has of its
// inputs. A trace repeats the same ops: costs lie in one table, and an op names its own by number.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace flatout::run {

// Of the numbers that an op computes with.
enum class NumberType : std::uint8_t { kUnknown, kFloat64, kFloat32, kFloat16, kBFloat16, kFloat8 };
constexpr std::array<std::string_view, 6> kNumberTypeNames = {"unknown", "float64",  "float32",
                                                              "float16", "bfloat16", "float8"};
constexpr std::string_view number_type_name(NumberType type) {
  return kNumberTypeNames[static_cast<std::size_t>(type)];
}

enum class OpClass : std::uint8_t {
  kGemm,
  kConvolution,
  kAttention,
  kNormalization,
  kSoftmax,
  kReduction,
  kElementwise,
};

struct OpCost {
  OpClass op_class = OpClass::kElementwise;
  NumberType type = NumberType::kUnknown;
  // A multiplication and an addition are two. Absent where it is not counted: what computes little
  // for each byte that it moves.
  std::optional<double> flops = {};
  // Least that it must read and write: each input and output once.
  std::optional<double> bytes = {};
  // Of a product of matrices: whether a dimension is no multiple of 8, as tensor cores like it.
  bool odd_dims = false;
  friend bool operator==(const OpCost&, const OpCost&) = default;
};

// An op with a cost, on a thread.
struct OpWork {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t cost = 0;  // in Timeline::op_costs
  std::uint16_t lane = 0;  // of its process: ProcessTrack::lanes
  friend bool operator==(const OpWork&, const OpWork&) = default;
};
inline std::int64_t record_time(const OpWork& work) { return work.begin_ns; }
// An outer one before its inner ones.
inline bool record_before(const OpWork& a, const OpWork& b) {
  return a.begin_ns != b.begin_ns ? a.begin_ns < b.begin_ns : a.end_ns > b.end_ns;
}

using OpCostTable = std::vector<OpCost>;

}  // namespace flatout::run
