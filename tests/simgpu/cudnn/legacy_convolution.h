// Algorithms of the older convolution API, run by the engines of the graph API.
#pragma once

#include <array>

#include "cudnn/engine.h"
#include "cudnn/legacy_descriptors.h"
#include "cudnn/plan.h"

namespace simgpu::cudnn {

// cudnnConvolution{Fwd,BwdData,BwdFilter}AlgoPerf_t, which differ in the type of `algorithm` alone.
struct AlgorithmPerformance {
  int algorithm;
  cudnnStatus_t status;
  float time_ms;  // below zero: not measured
  std::size_t workspace_bytes;
  int determinism;  // 0: results may differ from run to run
  cudnnMathType_t math;
  int reserved[3];
};

// Algorithms of a direction that are simulated, by their number in cudnnConvolution*Algo_t, the
// ones that heuristics prefer first.
struct Algorithm {
  int number;
  bool deterministic;
};
std::array<Algorithm, 2> algorithms_of(Pattern direction);

GraphWork work_of(Pattern direction, const cudnnTensorStruct& x, const cudnnFilterStruct& filter,
                  const cudnnConvolutionStruct& convolution, const cudnnTensorStruct& y);

// Null where the algorithm is not simulated for these tensors.
std::optional<Plan> plan_of(const GraphWork& work, int algorithm, int device);

}  // namespace simgpu::cudnn
