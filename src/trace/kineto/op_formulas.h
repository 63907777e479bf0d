// FLOPs and least bytes of PyTorch's ops from the shapes of their inputs.
//
// FLOPs count a multiplication and an addition as two, as torch.utils.flop_counter does; of causal
// attention only the pairs that are not masked, where the trace says that it is causal. Bytes are
// the inputs, each read once, and the outputs, each written once, as they lie in memory: a kernel
// may move more, and less from the device's memory where a cache holds it.
//
// Left out: ops on lists of tensors, whose types a trace does not have (cat, optimizers), and
// gathers, whose bytes depend on the indices. Composite ops (linear, matmul, conv2d) are left out,
// too: under autocast their inputs are those before the casts; what they call has its own.
#pragma once

#include <optional>
#include <string_view>

#include "run/op_cost.h"
#include "trace/kineto/op_shapes.h"

namespace flatout::trace {

// Absent where nothing is known of such an op, or of its inputs. `name` is the op's: "aten::mm".
std::optional<run::OpCost> op_cost(std::string_view name, const OpInputs& inputs);

// Whether op_cost() may know ops of this name.
bool has_formula(std::string_view name);

// Of a convolution whose strides the trace does not have: from the elements of its output.
std::optional<run::OpCost> convolution_cost(const OpInputs& inputs, double output_elements);
bool is_forward_convolution(std::string_view name);
// Of its backward pass, which has the gradient of the output among its inputs.
struct ConvolutionInputs {
  std::size_t gradient = 0, input = 0, weight = 0;  // places among the op's inputs
};
std::optional<ConvolutionInputs> backward_convolution(std::string_view name);

}  // namespace flatout::trace
