/*
 * Trains a small network in plain C and says through flatout.h what it is doing:
 *
 *     cc -O2 train.c -o train $(pkg-config --cflags --libs flatout) -lm
 *     flatout run -- ./train
 *
 * Two layers learn to tell 4 kinds of made-up signals apart. The samples stand
 * in a text file that is parsed anew for each batch, which is what a hurried
 * first version does and what the report finds. `--binary` reads numbers
 * instead of text: the fix. Arguments: [--steps N] [--binary].
 */
#include <flatout/flatout.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INPUTS = 256, HIDDEN = 64, CLASSES = 4, BATCH = 32, SAMPLES = 512, PER_VALUE = 24 };

typedef struct {
  float x[BATCH][INPUTS];
  int label[BATCH];
} Batch;

typedef struct {
  float w1[INPUTS][HIDDEN], b1[HIDDEN], w2[HIDDEN][CLASSES], b2[CLASSES];
} Weights;

static Weights net, grad;
static float hidden[BATCH][HIDDEN], prob[BATCH][CLASSES];

static float uniform(void) { return (float)rand() / (float)RAND_MAX - 0.5f; }

/* ---- data ---------------------------------------------------------------- */

static int write_samples(FILE* file, int binary) {
  for (int i = 0; i < SAMPLES; ++i) {
    const int label = i % CLASSES;
    const float phase = 3.0f * uniform();
    for (int j = 0; j < INPUTS; ++j) {
      const float value = sinf((float)(label + 1) * 0.05f * (float)j + phase) + 0.6f * uniform();
      const int bad = binary ? fwrite(&value, sizeof value, 1, file) != 1
                             : fprintf(file, "%-*.15f", PER_VALUE, (double)value) < 0;
      if (bad) return -1;
    }
  }
  return fflush(file);
}

/* Sample `index`, out of text or out of bytes. */
static int read_sample(FILE* file, int binary, int index, float* x) {
  const long size = binary ? (long)sizeof *x : PER_VALUE;
  if (fseek(file, (long)index * INPUTS * size, SEEK_SET) != 0) return -1;
  if (binary) return fread(x, sizeof *x, INPUTS, file) == INPUTS ? 0 : -1;
  for (int j = 0; j < INPUTS; ++j) {
    char text[PER_VALUE + 1] = "";
    if (fread(text, 1, PER_VALUE, file) != PER_VALUE) return -1;
    x[j] = strtof(text, NULL);
  }
  return 0;
}

static int read_batch(FILE* file, int binary, Batch* batch) {
  for (int i = 0; i < BATCH; ++i) {
    const int index = rand() % SAMPLES;
    batch->label[i] = index % CLASSES;
    if (read_sample(file, binary, index, batch->x[i]) != 0) return -1;
  }
  return 0;
}

/* ---- network ------------------------------------------------------------- */

static float forward(const Batch* batch) {
  float loss = 0;
  for (int i = 0; i < BATCH; ++i) {
    for (int h = 0; h < HIDDEN; ++h) hidden[i][h] = net.b1[h];
    for (int j = 0; j < INPUTS; ++j) {
      for (int h = 0; h < HIDDEN; ++h) hidden[i][h] += batch->x[i][j] * net.w1[j][h];
    }
    float sum = 0;
    for (int h = 0; h < HIDDEN; ++h) hidden[i][h] = tanhf(hidden[i][h]);
    for (int c = 0; c < CLASSES; ++c) {
      float z = net.b2[c];
      for (int h = 0; h < HIDDEN; ++h) z += hidden[i][h] * net.w2[h][c];
      prob[i][c] = expf(z);
      sum += prob[i][c];
    }
    for (int c = 0; c < CLASSES; ++c) prob[i][c] /= sum;
    loss -= logf(prob[i][batch->label[i]] + 1e-9f) / BATCH;
  }
  return loss;
}

static void backward(const Batch* batch) {
  memset(&grad, 0, sizeof grad);
  for (int i = 0; i < BATCH; ++i) {
    float back[HIDDEN] = {0};
    for (int c = 0; c < CLASSES; ++c) {
      const float error = (prob[i][c] - (c == batch->label[i] ? 1.0f : 0.0f)) / BATCH;
      grad.b2[c] += error;
      for (int h = 0; h < HIDDEN; ++h) {
        grad.w2[h][c] += error * hidden[i][h];
        back[h] += error * net.w2[h][c];
      }
    }
    for (int h = 0; h < HIDDEN; ++h) {
      back[h] *= 1 - hidden[i][h] * hidden[i][h];
      grad.b1[h] += back[h];
    }
    for (int j = 0; j < INPUTS; ++j) {
      for (int h = 0; h < HIDDEN; ++h) grad.w1[j][h] += batch->x[i][j] * back[h];
    }
  }
}

static void update(float rate) {
  float* w = (float*)&net;
  const float* g = (const float*)&grad;
  for (size_t i = 0; i < sizeof net / sizeof *w; ++i) w[i] -= rate * g[i];
}

/* ---- the loop, with what it marks ------------------------------------- */

static int train(FILE* file, int binary, int steps) {
  static Batch batch;
  for (int step = 0; step < steps; ++step) {
    flatout_phase_begin(FLATOUT_DATA_WAIT);
    const int read = read_batch(file, binary, &batch);
    flatout_phase_end(FLATOUT_DATA_WAIT);
    if (read != 0) return -1;

    flatout_phase_begin(FLATOUT_FORWARD);
    const float loss = forward(&batch);
    flatout_phase_end(FLATOUT_FORWARD);

    flatout_phase_begin(FLATOUT_BACKWARD);
    backward(&batch);
    flatout_phase_end(FLATOUT_BACKWARD);

    flatout_phase_begin(FLATOUT_OPTIMIZER);
    update(0.1f);
    flatout_phase_end(FLATOUT_OPTIMIZER);

    flatout_log("loss", loss, step);
    flatout_step_end(BATCH);
    if (step % 50 == 49) printf("step %d loss %.3f\n", step + 1, (double)loss);
  }
  return 0;
}

int main(int argc, char** argv) {
  int steps = 200, binary = 0;
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--binary") == 0) binary = 1;
    if (strcmp(argv[i], "--steps") == 0 && i + 1 < argc) steps = atoi(argv[++i]);
  }
  srand(1);
  for (size_t i = 0; i < sizeof net.w1 / sizeof(float); ++i) (&net.w1[0][0])[i] = 0.2f * uniform();
  for (size_t i = 0; i < sizeof net.w2 / sizeof(float); ++i) (&net.w2[0][0])[i] = 0.2f * uniform();
  FILE* file = tmpfile();
  if (file == NULL || write_samples(file, binary) != 0 || train(file, binary, steps) != 0) {
    perror("train");
    return 1;
  }
  fclose(file);
  return 0;
}
