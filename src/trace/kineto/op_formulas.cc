#include "trace/kineto/op_formulas.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "trace/kineto/op_products.h"

namespace flatout::trace {
namespace {

using run::NumberType;
using run::OpClass;
using run::OpCost;

// What an op does with its inputs.
using Formula = Cost (*)(const OpInputs&, const At& at);

struct NamedFormula {
  std::string_view name;  // without "aten::"
  Formula formula;
  At at{};
};

// A cost above this says that a shape was made up.
constexpr double kMostWork = 1e24;

// Reads every input, the first one where `reads_first`. The output is as PyTorch broadcasts them.
struct Broadcast {
  Shape shape;
  double widest_bytes = 0;  // of an element of an input
  bool any = false;
};
Broadcast broadcast_of(const OpInputs& in) {
  Broadcast out;
  for (std::size_t i = 0; i < in.count(); ++i) {
    const Shape& shape = in.shape(i);
    if (shape.count == 0) continue;
    Shape both;
    both.count = std::max(out.shape.count, shape.count);
    for (std::size_t d = 0; d < both.count; ++d) {  // from the last one
      const auto at = [d](const Shape& of) { return d < of.count ? of.dims[of.count - 1 - d] : 1; };
      both.dims[both.count - 1 - d] = std::max(at(out.shape), at(shape));
    }
    out.shape = both;
    out.widest_bytes = std::max(out.widest_bytes, in.element_bytes(i).value_or(0));
    out.any = true;
  }
  return out;
}

OpCost reads_from(const OpInputs& in, std::size_t first, OpClass op_class) {
  OpCost cost = cost_of(in, 0, op_class);
  cost.bytes = 0;
  for (std::size_t i = first; i < in.count(); ++i) {
    if (in.shape(i).count != 0) add_bytes(cost, bytes_of(in, i));
  }
  return cost;
}

Cost mapped_to(const OpInputs& in, std::optional<double> output_bytes) {
  if (!in.known()) return {};
  const Broadcast out = broadcast_of(in);
  if (!out.any || out.widest_bytes == 0) return {};
  OpCost cost = reads_from(in, 0, OpClass::kElementwise);
  add_bytes(cost, output_bytes.value_or(out.widest_bytes) * out.shape.elements());
  return cost;
}
// Of the widest of its inputs' types.
Cost mapped(const OpInputs& in, const At& /*at*/) { return mapped_to(in, {}); }
Cost compared(const OpInputs& in, const At& /*at*/) { return mapped_to(in, 1); }

// Its first input is written; and read, too, where `at[0]` is 0.
Cost in_place(const OpInputs& in, const At& at) {
  if (!in.known() || in.shape(0).count == 0) return {};
  OpCost cost = reads_from(in, at[0], OpClass::kElementwise);
  add_bytes(cost, bytes_of(in, 0));
  return cost;
}

// Reads all, writes one tensor as its first input is.
Cost as_first(const OpInputs& in, OpClass op_class) {
  if (!in.known() || in.shape(0).count == 0) return {};
  OpCost cost = reads_from(in, 0, op_class);
  const auto each = in.element_bytes(0);
  add_bytes(cost, each ? std::optional(*each * in.shape(0).elements()) : std::nullopt);
  return cost;
}
Cost normalization(const OpInputs& in, const At& /*at*/) {
  return as_first(in, OpClass::kNormalization);
}
Cost softmax(const OpInputs& in, const At& /*at*/) { return as_first(in, OpClass::kSoftmax); }

// What it writes is small, and not known.
Cost reduction(const OpInputs& in, const At& /*at*/) {
  if (in.shape(0).count == 0) return {};
  OpCost cost = cost_of(in, 0, OpClass::kReduction);
  cost.bytes = bytes_of(in, 0);
  return cost;
}

// Places of arguments are those of PyTorch's native_functions.yaml.
constexpr auto kFormulas = std::to_array<NamedFormula>({
    {"mm", matrices, {0, 1}},
    {"addmm", added_matrices, {1, 2, 0}},
    {"addmm_", added_matrices, {1, 2, 0}},
    {"_addmm_activation", added_matrices, {1, 2, 0}},
    {"_scaled_mm", matrices, {0, 1}},
    {"_int_mm", matrices, {0, 1}},
    {"bmm", batches, {0, 1}},
    {"baddbmm", added_batches, {1, 2, 0}},
    {"baddbmm_", added_batches, {1, 2, 0}},

    {"convolution", forward_convolution, {4, 3, 5, 6}},
    {"cudnn_convolution", forward_convolution, {2, 3, 4}},
    {"miopen_convolution", forward_convolution, {3, 4, 5}},
    {"_conv_depthwise2d", forward_convolution, {5, 4, 6}},
    {"convolution_backward", backward_of_convolution, {0, 1, 2, 10}},
    {"cudnn_convolution_backward", backward_of_convolution, {1, 0, 2, 9}},
    {"miopen_convolution_backward", backward_of_convolution, {1, 0, 2, 9}},

    {"_scaled_dot_product_flash_attention", attention_forward, {0, 4}},
    {"_scaled_dot_product_efficient_attention", attention_forward, {0, 6}},
    {"_scaled_dot_product_cudnn_attention", attention_forward, {0, 6}},
    {"_flash_attention_forward", attention_of_lengths, {0, 8}},
    {"_scaled_dot_product_flash_attention_backward", attention_backward, {1, 11}},
    {"_scaled_dot_product_efficient_attention_backward", attention_backward, {1, 11}},
    {"_scaled_dot_product_cudnn_attention_backward", attention_backward, {1, 14}},
    {"_flash_attention_backward", attention_backward_of_lengths, {1, 11}},

    {"native_layer_norm", normalization},
    {"native_layer_norm_backward", normalization},
    {"native_group_norm", normalization},
    {"native_group_norm_backward", normalization},
    {"native_batch_norm", normalization},
    {"native_batch_norm_backward", normalization},
    {"cudnn_batch_norm", normalization},
    {"cudnn_batch_norm_backward", normalization},
    {"miopen_batch_norm", normalization},
    {"miopen_batch_norm_backward", normalization},
    {"_fused_rms_norm", normalization},
    {"_fused_rms_norm_backward", normalization},

    {"_softmax", softmax},
    {"_softmax_backward_data", softmax},
    {"_log_softmax", softmax},
    {"_log_softmax_backward_data", softmax},

    {"sum", reduction},
    {"mean", reduction},
    {"prod", reduction},
    {"max", reduction},
    {"min", reduction},
    {"amax", reduction},
    {"amin", reduction},
    {"argmax", reduction},
    {"argmin", reduction},
    {"var", reduction},
    {"var_mean", reduction},
    {"std", reduction},
    {"norm", reduction},
    {"linalg_vector_norm", reduction},
    {"any", reduction},
    {"all", reduction},
    {"logsumexp", reduction},

    {"copy_", in_place, {1}},
    {"fill_", in_place, {1}},
    {"zero_", in_place, {1}},
    {"normal_", in_place, {1}},
    {"uniform_", in_place, {1}},
    {"bernoulli_", in_place, {1}},

    {"eq", compared},
    {"ne", compared},
    {"lt", compared},
    {"le", compared},
    {"gt", compared},
    {"ge", compared},
    {"isnan", compared},
    {"logical_not", compared},
    {"logical_and", compared},
    {"logical_or", compared},
});

// One element after the other; with "_" behind it, in place.
constexpr auto kMapped = std::to_array<std::string_view>({
    "add",
    "sub",
    "rsub",
    "mul",
    "div",
    "neg",
    "abs",
    "exp",
    "exp2",
    "expm1",
    "log",
    "log1p",
    "log2",
    "sqrt",
    "rsqrt",
    "reciprocal",
    "square",
    "pow",
    "sin",
    "cos",
    "tan",
    "tanh",
    "erf",
    "sign",
    "floor",
    "ceil",
    "round",
    "remainder",
    "maximum",
    "minimum",
    "clamp",
    "clamp_min",
    "clamp_max",
    "lerp",
    "addcmul",
    "addcdiv",
    "where",
    "masked_fill",
    "sigmoid",
    "relu",
    "gelu",
    "silu",
    "mish",
    "elu",
    "softplus",
    "hardtanh",
    "hardswish",
    "hardsigmoid",
    "leaky_relu",
    "threshold",
    "native_dropout",
    "triu",
    "tril",
    "cumsum",
    "sigmoid_backward",
    "tanh_backward",
    "threshold_backward",
    "gelu_backward",
    "silu_backward",
    "elu_backward",
    "hardtanh_backward",
    "hardswish_backward",
    "hardsigmoid_backward",
    "leaky_relu_backward",
    "native_dropout_backward",
});

std::optional<NamedFormula> formula_of(std::string_view name) {
  constexpr std::string_view kLibrary = "aten::";
  if (!name.starts_with(kLibrary)) return std::nullopt;
  name.remove_prefix(kLibrary.size());
  const auto* const found = std::ranges::find(kFormulas, name, &NamedFormula::name);
  if (found != kFormulas.end()) return *found;
  const bool writes_first = name.ends_with('_');
  if (writes_first) name.remove_suffix(1);
  if (std::ranges::find(kMapped, name) == kMapped.end()) return std::nullopt;
  return NamedFormula{name, writes_first ? in_place : mapped, {}};
}

bool plausible(const OpCost& cost) {
  const auto fits = [](const std::optional<double>& work) {
    return !work || (std::isfinite(*work) && *work >= 0 && *work <= kMostWork);
  };
  return (cost.flops || cost.bytes) && fits(cost.flops) && fits(cost.bytes);
}

}  // namespace

std::optional<OpCost> op_cost(std::string_view name, const OpInputs& inputs) {
  const auto found = formula_of(name);
  if (!found) return std::nullopt;
  const Cost cost = found->formula(inputs, found->at);
  return cost && plausible(*cost) ? cost : std::nullopt;
}

bool has_formula(std::string_view name) { return formula_of(name).has_value(); }

bool is_forward_convolution(std::string_view name) {
  const auto found = formula_of(name);
  return found && found->formula == forward_convolution;
}

std::optional<OpCost> convolution_cost(const OpInputs& inputs, double output_elements) {
  const Cost cost = convolution_of_outputs(inputs, output_elements);
  return cost && plausible(*cost) ? cost : std::nullopt;
}

std::optional<ConvolutionInputs> backward_convolution(std::string_view name) {
  const auto found = formula_of(name);
  if (!found || found->formula != backward_of_convolution) return std::nullopt;
  return ConvolutionInputs{found->at[0], found->at[1], found->at[2]};
}

}  // namespace flatout::trace
