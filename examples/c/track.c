/*
 * Tracks a training in plain C: config, curves, a text, the model as a file.
 *
 *     cc -O2 track.c -o track $(pkg-config --cflags --libs flatout) -lm
 *     flatout run -- ./track
 *     flatout ls --format json
 *
 * Fits a line to made-up points. Without flatout around it, it does the same and tracks nothing.
 */
#include <flatout/flatout.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { POINTS = 256, STEPS = 100 };

static double x[POINTS], y[POINTS];

static void make_points(void) {
  srand(1);
  for (int i = 0; i < POINTS; ++i) {
    x[i] = (double)rand() / RAND_MAX;
    y[i] = 2 * x[i] + 0.5 + 0.01 * ((double)rand() / RAND_MAX - 0.5);
  }
}

/* The mean squared error, and its slopes. */
static double error_of(double a, double b, double* of_a, double* of_b) {
  double sum = 0;
  *of_a = *of_b = 0;
  for (int i = 0; i < POINTS; ++i) {
    const double off = a * x[i] + b - y[i];
    sum += off * off / POINTS;
    *of_a += 2 * off * x[i] / POINTS;
    *of_b += 2 * off / POINTS;
  }
  return sum;
}

static int write_model(const char* path, double a, double b) {
  FILE* file = fopen(path, "w");
  if (file == NULL) return -1;
  fprintf(file, "%.17g %.17g\n", a, b);
  return fclose(file);
}

int main(int argc, char** argv) {
  const char* model = argc > 1 ? argv[1] : "line.txt";
  const double rate = 0.5;
  const struct flatout_track_options about = {
      .project = "lines", .name = "least squares", .tags = "example,c"};
  const int track = flatout_track_open(&about);
  flatout_track_config_number(track, "rate", rate);
  flatout_track_config_text(track, "optimizer", "plain descent");
  flatout_track_config_json(track, "{\"data\": {\"points\": 256, \"noise\": 0.01}}");

  make_points();
  double a = 0, b = 0, loss = 0;
  for (int step = 0; step < STEPS; ++step) {
    double of_a, of_b;
    loss = error_of(a, b, &of_a, &of_b);
    a -= rate * of_a;
    b -= rate * of_b;
    flatout_track_log(track, "train/loss", loss, step);
    flatout_step_end(POINTS);
  }

  char said[64];
  snprintf(said, sizeof said, "y = %.2f x + %.2f", a, b);
  flatout_track_log_text(track, "line", said, STEPS - 1);
  flatout_track_summary_number(track, "slope", a);
  const int failed = write_model(model, a, b) != 0 || !isfinite(loss);
  if (!failed) flatout_track_artifact(track, model, "line", "model");
  if (loss > 0.01) flatout_track_alert(track, "not fitted", said, FLATOUT_ALERT_WARN);
  flatout_track_finish(track, failed);
  printf("%s\n", said);
  return failed;
}
