// Bursts of one kernel: bursts STEPS. Each step launches it four to six times, waits, and is idle
// for a while; each fortieth is followed by an evaluation of twelve, and a wait. It prints how long
// a step took in the median.
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

static void burst(int kernels) {
  for (int i = 0; i < kernels; ++i) {
    launch(&a_kernel, 0, 64);
  }
  CHECK(cudaDeviceSynchronize());
}

int main(int count, char** arguments) {
  (void)count;
  const int steps = atoi(arguments[1]);
  unsigned random = 1;
  register_kernels();
  launch(&another_kernel, 0, 8);  // weights
  CHECK(cudaDeviceSynchronize());
  double* lengths_ms = malloc((size_t)steps * sizeof(double));
  for (int step = 1; step <= steps; ++step) {
    const double begin_ms = now_ms();
    sleep_ms(2);
    random = random * 1103515245U + 12345U;
    burst(4 + (int)(random >> 16) % 3);
    lengths_ms[step - 1] = now_ms() - begin_ms;
    if (step % 40 == 0) {
      burst(12);
    }
  }
  qsort(lengths_ms, (size_t)steps, sizeof(double), shorter);
  printf("%f\n", lengths_ms[steps / 2]);
  return 0;
}
