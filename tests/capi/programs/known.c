/* A loop whose phases are known by construction: it sleeps, and measures how long.
 *
 * known STEPS WHAT   WHAT: letters of what is marked: d f b o (phases), s (ends
 * of steps), e (an evaluation every 10 steps). Prints a line a step: microseconds
 * in data_wait, forward, backward, optimizer. */
#include <flatout/flatout.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char* marked;

static long long now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* Microseconds it took, on a busy machine more than asked for. */
static long long phase(char letter, int which, int ms) {
  const struct timespec pause = {0, ms * 1000000L};
  const int mark = strchr(marked, letter) != NULL;
  const long long begin = now_ns();
  if (mark) flatout_phase_begin(which);
  nanosleep(&pause, NULL);
  if (mark) flatout_phase_end(which);
  return (now_ns() - begin) / 1000;
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const int steps = atoi(argv[1]);
  marked = argv[2];
  for (int step = 0; step < steps; ++step) {
    const long long wait = phase('d', FLATOUT_DATA_WAIT, 20);
    const long long forward = phase('f', FLATOUT_FORWARD, 5);
    const long long backward = phase('b', FLATOUT_BACKWARD, 10);
    const long long update = phase('o', FLATOUT_OPTIMIZER, 5);
    flatout_log("loss", 1.0 / (step + 1), step);
    if (strchr(marked, 's') != NULL) flatout_step_end(64);
    if (strchr(marked, 'e') != NULL && step % 10 == 9) {
      flatout_phase_begin(FLATOUT_EVAL);
      phase('d', FLATOUT_DATA_WAIT, 10);
      phase('f', FLATOUT_FORWARD, 10);
      flatout_phase_end(FLATOUT_EVAL);
    }
    printf("%lld %lld %lld %lld\n", wait, forward, backward, update);
    fflush(stdout);
  }
  return 0;
}
