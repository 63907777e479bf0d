// A training in C that marks nothing: trains STEPS [MICRO_BATCHES]. Each step copies a batch, runs
// twelve kernels a micro-batch and two that update, waits, and is idle for a while; each twentieth
// is followed by an evaluation. It prints how long its steps took, but the first and those.
#include "work.h"

static double now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

int main(int count, char** arguments) {
  const int steps = atoi(arguments[1]);
  const int micro = count > 2 ? atoi(arguments[2]) : 1;
  char *device, *host = malloc(1 << 16);
  register_kernels();
  CHECK(cudaMalloc((void**)&device, 1 << 16));
  for (int i = 0; i < 40; ++i) {  // weights
    launch(i % 3 ? &a_kernel : &another_kernel, 0, 8);
  }
  double plain_ms = 0;
  int plain = 0;
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
    if (step % 20 != 0) {
      plain_ms += step == 1 ? 0 : now_ms() - begin_ms;
      plain += step == 1 ? 0 : 1;
      continue;
    }
    for (int batch = 0; batch < 5; ++batch) {
      CHECK(cudaMemcpy(device, host, 1 << 16, cudaMemcpyHostToDevice));
      for (int i = 0; i < 4; ++i) {
        launch(&a_kernel, 0, 64);
      }
      CHECK(cudaMemcpy(host, device, 64, cudaMemcpyDeviceToHost));
    }
  }
  printf("%f\n", plain_ms / plain);
  return 0;
}
