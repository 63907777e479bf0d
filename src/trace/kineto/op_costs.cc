#include "trace/kineto/op_costs.h"

#include <utility>

#include "trace/kineto/op_formulas.h"

namespace flatout::trace {
namespace {

std::string shapes_text(const Shape& input, const Shape& weight) {
  std::string text;
  for (const Shape* shape : {&input, &weight}) {
    for (const std::int64_t dim : shape->view()) text += std::to_string(dim) + ",";
    text += ";";
  }
  return text;
}

}  // namespace

bool OpCosts::may_be_known(std::string_view name, std::uint32_t number) {
  if (number >= named_.size()) named_.resize(number + 1);
  Named& named = named_[number];
  if (named == Named::kNotAsked) named = has_formula(name) ? Named::kKnown : Named::kUnknown;
  return named == Named::kKnown;
}

std::optional<std::uint32_t> OpCosts::of(std::string_view name, std::uint32_t number,
                                         const ChromeOp& op) {
  if (op.empty() || !may_be_known(name, number)) return std::nullopt;
  if (op.dims.size() + op.types.size() + op.strides.size() + op.concrete.size() > kLongestKey) {
    return std::nullopt;
  }
  key_.assign(name);
  for (const std::string* part : {&op.dims, &op.types, &op.strides, &op.concrete}) {
    key_ += '\n';
    key_ += *part;
  }
  if (const auto known = known_.find(key_); known != known_.end()) return known->second;
  if (known_.size() >= kMostCosts) return std::nullopt;
  const auto cost = find_out(name, op);
  known_.emplace(key_, cost);
  return cost;
}

std::optional<std::uint32_t> OpCosts::find_out(std::string_view name, const ChromeOp& op) {
  const OpInputs inputs(op);
  note_output(name, inputs);
  if (const auto cost = op_cost(name, inputs)) return add(*cost);
  if (!is_forward_convolution(name) || !op.concrete.empty()) return std::nullopt;
  const auto number = add({.op_class = run::OpClass::kConvolution, .type = inputs.type(0)});
  if (number) {
    unsolved_.push_back({*number, op, shapes_text(inputs.shape(0), inputs.shape(1))});
  }
  return number;
}

std::optional<std::uint32_t> OpCosts::add(const run::OpCost& cost) {
  if (costs_.size() >= kMostCosts) return std::nullopt;
  costs_.push_back(cost);
  return static_cast<std::uint32_t>(costs_.size() - 1);
}

void OpCosts::note_output(std::string_view name, const OpInputs& inputs) {
  const auto at = backward_convolution(name);
  if (!at || outputs_.size() >= kMostCosts || !inputs.shape(at->gradient).known) return;
  const double elements = inputs.shape(at->gradient).elements();
  const auto [seen, fresh] =
      outputs_.emplace(shapes_text(inputs.shape(at->input), inputs.shape(at->weight)), elements);
  if (!fresh && seen->second != elements) seen->second = 0;
}

run::OpCostTable OpCosts::take() {
  for (const Unsolved& one : unsolved_) {
    const auto output = outputs_.find(one.shapes);
    if (output == outputs_.end() || output->second <= 0) continue;
    if (const auto cost = convolution_cost(OpInputs(one.op), output->second)) {
      costs_[one.cost] = *cost;
    }
  }
  return std::exchange(costs_, {});
}

}  // namespace flatout::trace
