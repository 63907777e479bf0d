// A training in C that marks nothing: trains STEPS [MICRO_BATCHES]. Each step copies a batch, runs
// twelve kernels a micro-batch and two that update, waits, and is idle for a while; each twentieth
// is followed by an evaluation. It prints how long a step took in the median.
#include "work.h"

static double now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static int shorter(const void* a, const void* b) {
  const double one = *(const double*)a, other = *(const double*)b;
  return (one > other) - (one < other);
}

int main(int count, char** arguments) {
  const int steps = atoi(arguments[1]);
  const int micro = count > 2 ? atoi(arguments[2]) : 1;
  char *device, *host = malloc(1 << 16);
  register_kernels();
  CHECK(cudaMalloc((void**)&device, 1 << 16));
  for (int i = 0; i < 40; ++i) {  // weights
    launch(i % 3 == 0 && i < 20 ? &another_kernel : &a_kernel, 0, 8);
  }
  double* lengths_ms = malloc((size_t)steps * sizeof(double));
  for (int step = 1; step <= steps; ++step) {
    const double begin_ms = now_ms();
    sleep_ms(2);
    for (int batch = 0; batch < micro; ++batch) {
      CHECK(cudaMemcpy(device, host, 1 << 16, cudaMemcpyHostToDevice));
      for (int i = 0; i < 12; ++i) {
        launch(&a_kernel, 0, 64);
      }
    }
    launch(&another_kernel, 0, 64);
    launch(&another_kernel, 0, 64);
    CHECK(cudaDeviceSynchronize());
    lengths_ms[step - 1] = now_ms() - begin_ms;
    for (int batch = 0; step % 20 == 0 && batch < 5; ++batch) {
      CHECK(cudaMemcpy(device, host, 1 << 16, cudaMemcpyHostToDevice));
      for (int i = 0; i < 4; ++i) {
        launch(&a_kernel, 0, 64);
      }
      CHECK(cudaMemcpy(host, device, 64, cudaMemcpyDeviceToHost));
    }
  }
  qsort(lengths_ms, (size_t)steps, sizeof(double), shorter);
  printf("%f\n", lengths_ms[steps / 2]);
  return 0;
}
