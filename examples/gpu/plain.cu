// A CUDA program without a framework: 200 rounds of a copy from pageable memory, ten kernels that work,
// fifty that hardly do, a copy back, and a wait. nvcc -O2 -o plain plain.cu
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

namespace {
constexpr int kNumbers = 1 << 22;
constexpr int kThreads = 256;

__global__ void work(float* numbers, int times) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < times; ++k) numbers[i] = numbers[i] * 1.0001F + 1.0F;
}

__global__ void hardly_work(float* numbers) { numbers[0] += 1; }
}  // namespace

int main() {
  std::vector<float> host(kNumbers);
  float* device = nullptr;
  float* pinned = nullptr;
  cudaMalloc(&device, kNumbers * sizeof(float));
  cudaMallocHost(&pinned, kThreads * sizeof(float));
  for (int round = 0; round < 200; ++round) {
    cudaMemcpy(device, host.data(), kNumbers * sizeof(float), cudaMemcpyHostToDevice);
    for (int k = 0; k < 10; ++k) work<<<kNumbers / kThreads, kThreads>>>(device, 20);
    for (int k = 0; k < 50; ++k) hardly_work<<<1, 1>>>(device);
    cudaMemcpyAsync(pinned, device, kThreads * sizeof(float), cudaMemcpyDeviceToHost);
    cudaDeviceSynchronize();
  }
  std::printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  cudaFree(device);
  cudaFreeHost(pinned);
  return cudaGetLastError() == cudaSuccess ? 0 : 1;
}
