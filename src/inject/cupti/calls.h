// Which calls of CUDA's runtime and driver are worth a record: those that launch, copy, wait,
// allocate or load. The others (cudaGetDevice, cudaStreamIsCapturing) come several times an
// operator, take well under a microsecond, and nobody asks for them.
#pragma once

#include <cstddef>

namespace flatout::inject::cupti {

struct CallWorth {
  bool wanted = false;
  bool launches = false;  // puts work on a device, under its correlation
};

// Of a function's name, as CUPTI gives it: cudaLaunchKernel_v7000, cuMemcpyHtoDAsync_v2.
CallWorth worth_of_call(const char* name);

// Its length without the version that CUPTI writes behind it (_v7000).
std::size_t bare_length(const char* name);

}  // namespace flatout::inject::cupti
