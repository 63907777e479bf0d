// Costs of the ops that take most of a model's arithmetic: products of matrices, convolutions,
// attention. What is counted stands in op_formulas.h. Internal to kineto/.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "run/op_cost.h"
#include "trace/kineto/op_shapes.h"

namespace flatout::trace {

using Cost = std::optional<run::OpCost>;  // absent where the inputs are not as the op's are
using At = std::array<std::uint8_t, 4>;   // places among an op's inputs

// Without FLOPs and bytes; of the type of input `typed_by`.
run::OpCost cost_of(const OpInputs& in, std::size_t typed_by, run::OpClass op_class);
// Bytes of an input, as it is stored; absent where its shape or type is not known.
std::optional<double> bytes_of(const OpInputs& in, std::size_t input);
// What is not known makes the sum unknown.
void add_bytes(run::OpCost& cost, std::optional<double> bytes);

// Of two matrices, and of two batches of them.
Cost matrices(const OpInputs& in, const At& at);
Cost batches(const OpInputs& in, const At& at);
// With what is added to the product, which is read, too.
Cost added_matrices(const OpInputs& in, const At& at);
Cost added_batches(const OpInputs& in, const At& at);
// `at`: places of padding, stride and dilation; of `transposed`, 0 = it is not.
Cost forward_convolution(const OpInputs& in, const At& at);
// `at`: places of the gradient, the input and the weight, and of output_mask.
Cost backward_of_convolution(const OpInputs& in, const At& at);
// `at`: places of the query and of is_causal. Tensors are [batch, heads, length, width], those "of
// lengths" [batch, length, heads, width].
Cost attention_forward(const OpInputs& in, const At& at);
Cost attention_of_lengths(const OpInputs& in, const At& at);
Cost attention_backward(const OpInputs& in, const At& at);
Cost attention_backward_of_lengths(const OpInputs& in, const At& at);
// Of a convolution whose strides are not known: input and weight first, and its outputs' elements.
Cost convolution_of_outputs(const OpInputs& in, double outputs);

}  // namespace flatout::trace
