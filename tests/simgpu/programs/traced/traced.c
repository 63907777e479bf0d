// Programs for the agent that CUDA loads: traced WHAT [COUNT].
#include "work.h"

// Kernels on two streams, copies of both sorts of memory in each direction, a set, waits.
static void all_sorts(void) {
  cudaStream_t side;
  char *device, *pinned, *pageable = malloc(1 << 16);
  CHECK(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
  CHECK(cudaMalloc((void**)&device, 1 << 16));
  CHECK(cudaHostAlloc((void**)&pinned, 1 << 16, 0));
  CHECK(cudaMemcpy(device, pageable, 5000, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpyAsync(device, pinned, 6000, cudaMemcpyHostToDevice, side));
  CHECK(cudaMemcpyAsync(pinned, device, 7000, cudaMemcpyDeviceToHost, side));
  CHECK(cudaMemcpyAsync(device, device + 32768, 8000, cudaMemcpyDeviceToDevice, side));
  CHECK(cudaMemsetAsync(device, 0, 9000, side));
  launch(&a_kernel, side, 1000);
  launch(&another_kernel, 0, 2000);
  CHECK(cudaStreamSynchronize(side));
  CHECK(cudaDeviceSynchronize());
}

static void launches(int count) {
  for (int i = 0; i < count; ++i) {
    launch(i % 2 ? &a_kernel : &another_kernel, 0, 1 + (unsigned)i);
  }
  CHECK(cudaDeviceSynchronize());
}

static void paced(int ms) {
  for (int i = 0; i < ms; ++i) {
    launch(&a_kernel, 0, 8);
    sleep_ms(1);
  }
  CHECK(cudaDeviceSynchronize());
}

// Launches as fast as it can for so long, then now and then for two and a half seconds.
static void hurried(int ms) {
  struct timespec begin, now;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do {
    launches(100);
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 < ms);
  paced(2500);
}

static void* on_a_stream(void* count) {
  cudaStream_t stream;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  for (size_t i = 0; i < (size_t)count; ++i) {
    launch(&a_kernel, stream, 3);
  }
  CHECK(cudaStreamSynchronize(stream));
  return NULL;
}

static void threads(int count) {
  pthread_t all[4];
  for (int i = 0; i < 4; ++i) {
    pthread_create(&all[i], NULL, on_a_stream, (void*)(size_t)count);
  }
  for (int i = 0; i < 4; ++i) {
    pthread_join(all[i], NULL);
  }
}

// Children by fork() in the middle, one of which ends by exit() with all its handlers.
static void forks(void) {
  launches(100);
  for (int i = 0; i < 8; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      int* refused;
      cudaMalloc((void**)&refused, 16);
      i % 2 ? exit(7) : _exit(7);
    }
    launches(100);
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(!WIFEXITED(status) || WEXITSTATUS(status) != 7);
  }
}

// Becomes itself: a process keeps its ring over exec().
static void execs(char* self) {
  launches(50);
  sleep_ms(500);  // until what was traced lies in the ring
  execl(self, self, "launches", "60", NULL);
}

// Says the names of its threads, and which signals each blocks.
static void counts_threads(void) {
  launches(10);
  sleep_ms(300);
  CHECK(system("grep -h -e Name -e SigBlk /proc/$PPID/task/*/status"));
}

int main(int count, char** arguments) {
  const char* what = arguments[1];
  const int number = count > 2 ? atoi(arguments[2]) : 0;
  register_kernels();
  if (!strcmp(what, "all")) all_sorts();
  if (!strcmp(what, "launches")) launches(number);
  if (!strcmp(what, "paced")) paced(number);
  if (!strcmp(what, "hurried")) hurried(number);
  if (!strcmp(what, "threads")) threads(number);
  if (!strcmp(what, "forks")) forks();
  if (!strcmp(what, "execs")) execs(arguments[0]);
  if (!strcmp(what, "counts")) counts_threads();
  if (!strcmp(what, "asks")) CHECK(cudaGetDeviceCount(&(int){0}));
  if (!strcmp(what, "killed")) {
    paced(number);
    kill(getpid(), SIGKILL);
  }
  if (!strcmp(what, "_exit")) {
    paced(number);
    _exit(0);
  }
  if (!strcmp(what, "pending")) {  // what runs when the program ends
    launch(&a_kernel, 0, 100000000);
  }
  printf("done\n");
  return 0;
}
