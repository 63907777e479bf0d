/* A loop whose speed and loss are known from its arguments and environment.
 *
 * A step sleeps for --wait-us / SHARE microseconds; the loss is the distance of --lr
 * from 0.01, in powers of ten. --fail=1 ends it at once, --hang=1 never. */
#include <flatout/flatout.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The last of `--name=value` and `--name value`. */
static double argument(int argc, char** argv, const char* name, double otherwise) {
  const size_t length = strlen(name);
  for (int i = 1; i < argc; ++i) {
    if (strncmp(argv[i], name, length) != 0) continue;
    if (argv[i][length] == '=') otherwise = atof(argv[i] + length + 1);
    if (argv[i][length] == '\0' && i + 1 < argc) otherwise = atof(argv[i + 1]);
  }
  return otherwise;
}

int main(int argc, char** argv) {
  const char* share = getenv("SHARE");
  const double wait_us = argument(argc, argv, "--wait-us", 4000) / (share ? atof(share) : 1);
  const double loss = fabs(log10(argument(argc, argv, "--lr", 1) / 0.01));
  FILE* seen = fopen("seen.txt", "a");
  for (int i = 0; i < argc; ++i) fprintf(seen, "%s ", argv[i]);
  fclose(seen);
  if (argument(argc, argv, "--fail", 0) > 0) {
    fprintf(stderr, "there is no data\n");
    return 7;
  }
  if (argument(argc, argv, "--hang", 0) > 0) pause();
  for (long step = 0; step < 100000; ++step) {
    const struct timespec pause = {0, (long)(wait_us * 1000)};
    flatout_phase_begin(FLATOUT_FORWARD);
    nanosleep(&pause, NULL);
    flatout_phase_end(FLATOUT_FORWARD);
    flatout_log("loss", loss, step);
    flatout_step_end(8);
  }
  return 0;
}
