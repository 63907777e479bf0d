// What the traced programs share: work for a device, by CUDA's runtime alone.
#pragma once

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../check.h"

static char a_kernel, another_kernel;
// nvcc would register them under these names.
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, void*, void*, void*,
                            void*, int*);

static inline void register_kernels(void) {
  __cudaRegisterFunction(NULL, &a_kernel, NULL, "_Z8a_kernelPfi", -1, NULL, NULL, NULL, NULL, NULL);
  __cudaRegisterFunction(NULL, &another_kernel, NULL, "_Z14another_kernelPfi", -1, NULL, NULL, NULL,
                         NULL, NULL);
}

static inline void launch(const void* kernel, cudaStream_t stream, unsigned blocks) {
  float* data = NULL;
  int count = 0;
  void* arguments[2] = {&data, &count};
  dim3 grid = {blocks, 1, 1}, block = {256, 1, 1};
  CHECK(cudaLaunchKernel(kernel, grid, block, arguments, 0, stream));
}

static inline void sleep_ms(long ms) {
  struct timespec pause = {ms / 1000, ms % 1000 * 1000000};
  nanosleep(&pause, NULL);
}
