// The costs of a trace's ops, each once: finds out by an op's inputs which one it has.
//
// Memory: kMostCosts of them and as many texts of at most kLongestKey, 64 MiB at most; ops beyond
// have none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "run/op_cost.h"
#include "trace/chrome/event.h"
#include "trace/kineto/op_shapes.h"

namespace flatout::trace {

class OpCosts {
 public:
  static constexpr std::size_t kMostCosts = 32'768;
  static constexpr std::size_t kLongestKey = 1024;

  // The number of its cost; absent where nothing is known of it. `number` is the name's in the
  // trace's table.
  std::optional<std::uint32_t> of(std::string_view name, std::uint32_t number, const ChromeOp& op);
  // The costs by number, once all ops were seen. Of a forward convolution without strides what its
  // backward pass shows; one whose shapes come with two outputs stays without figures. Once.
  run::OpCostTable take();

 private:
  std::optional<std::uint32_t> find_out(std::string_view name, const ChromeOp& op);
  std::optional<std::uint32_t> add(const run::OpCost& cost);
  void note_output(std::string_view name, const OpInputs& inputs);

  bool may_be_known(std::string_view name, std::uint32_t number);

  struct Unsolved {
    std::uint32_t cost = 0;
    ChromeOp op;
    std::string shapes;
  };

  enum class Named : std::uint8_t { kNotAsked, kKnown, kUnknown };
  std::vector<Named> named_;  // by number of the name
  run::OpCostTable costs_;
  std::unordered_map<std::string, std::optional<std::uint32_t>> known_;
  std::string key_;
  std::vector<Unsolved> unsolved_;
  // By the shapes of input and weight: elements of the output, 0 = there were several.
  std::map<std::string, double> outputs_;
};

}  // namespace flatout::trace
