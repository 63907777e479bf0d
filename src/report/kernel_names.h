// Names of kernels as people can read them. Pure; names come from the driver or from a file, so any
// text is borne.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace flatout::report {

// "vectorized_elementwise_kernel" of a page of C++.
std::string short_kernel_name(std::string_view name);

// Those of one list, in its order. Instances of one template that would look alike have the
// argument behind them in which they differ most: "vectorized_elementwise_kernel<AddFunctor>".
std::vector<std::string> distinct_kernel_names(const std::vector<std::string_view>& names);

}  // namespace flatout::report
