/*
 * flatout.h: what a C or C++ program reports to flatout about its training loop.
 *
 *     while (flatout_phase_begin(FLATOUT_DATA_WAIT), read_batch(&batch)) {
 *       flatout_phase_end(FLATOUT_DATA_WAIT);
 *       flatout_phase_begin(FLATOUT_FORWARD);   loss = forward(&batch);
 *       flatout_phase_end(FLATOUT_FORWARD);
 *       ...
 *       flatout_log("loss", loss, step++);
 *       flatout_step_end(batch.size);
 *     }
 *
 * Under `flatout run -- ./train` these calls become the steps and phases of the
 * report. Without it every call returns FLATOUT_OFF at once and does nothing
 * else, so they can stay in the program. docs/c-programs.md shows how to build.
 *
 * THREADS  Any function, from any thread, at any time. Each thread has phases of
 *     its own; the steps of a run are those of the thread that calls
 *     flatout_step_end (or that has optimizer phases, where nobody calls it).
 *     Not from signal handlers: a call there may be dropped (never a deadlock).
 *     After fork() the child records on its own, with no phase open.
 * OWNERSHIP  Strings are copied; nothing has to be freed or closed. What was
 *     said before the process dies, by whatever signal, is kept.
 * UNITS  Times are taken by the library, in nanoseconds of CLOCK_MONOTONIC.
 *     Batch sizes count samples.
 * ERRORS  Every function that is no question returns one of enum flatout_status.
 *     Ignore them if you like: no call ever fails, blocks or ends the program,
 *     and none sets errno.
 * WITH PYTHON  A C extension may call these inside a Python program that flatout
 *     observes too: both write into the same recording, and a thread is the same
 *     there. Once flatout_step_end is called, it alone closes steps.
 *
 * C99 and C++. The ABI is versioned: within FLATOUT_ABI_VERSION functions and
 * phases are only added.
 */
#ifndef FLATOUT_FLATOUT_H
#define FLATOUT_FLATOUT_H

#include <stdint.h>

/* Of this header. flatout_abi_version() is that of the library that was loaded. */
#define FLATOUT_ABI_VERSION 1

#if defined(__GNUC__)
#define FLATOUT_API __attribute__((visibility("default")))
#else
#define FLATOUT_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* What a thread is doing. Phases nest; the innermost open one owns the time. */
enum flatout_phase {
  FLATOUT_DATA_WAIT = 1,  /* getting the next batch: reading it, or waiting for it */
  FLATOUT_H2D = 2,        /* copying it to the device */
  FLATOUT_FORWARD = 3,    /* model and loss */
  FLATOUT_BACKWARD = 4,   /* gradients */
  FLATOUT_OPTIMIZER = 5,  /* applying them: one such phase is one update */
  FLATOUT_COMM = 6,       /* waiting for other ranks: MPI, NCCL */
  FLATOUT_SYNC = 7,       /* waiting for the device: cudaDeviceSynchronize, .item() */
  FLATOUT_CHECKPOINT = 8, /* writing the model to storage */
  FLATOUT_EVAL = 10       /* evaluation: belongs to no step; other phases may lie inside */
};

enum flatout_status {
  FLATOUT_OK = 0,
  FLATOUT_OFF = 1,     /* nothing is recorded: not under `flatout run`, or it cannot be */
  FLATOUT_LOST = 2,    /* of flatout_track_*: the ring or the disk is full; the run counts it */
  FLATOUT_INVALID = -1 /* an argument is not what it should be; nothing was done */
};

/* FLATOUT_ABI_VERSION of the loaded library. */
FLATOUT_API int flatout_abi_version(void);

/* 1 while this process is recorded, else 0. To leave out work that only flatout
 * would need, such as copying a loss back from the device. */
FLATOUT_API int flatout_active(void);

/* Opens and closes a phase of the calling thread. An end closes what was left
 * open inside it; an end without its begin does nothing and is FLATOUT_INVALID.
 * The same phase opened again inside itself counts once, and is closed by its
 * outermost end. At most 32 phases can be open in a thread. */
FLATOUT_API int flatout_phase_begin(int phase);
FLATOUT_API int flatout_phase_end(int phase);

/* The calling thread has finished a step: an optimizer update has been applied
 * (of several micro-batches, or of several optimizers, where they belong
 * together). Everything since the last call is that step, but for FLATOUT_EVAL.
 * `samples` in it over all micro-batches; 0 when not known. Closes the thread's
 * open phases. Call it once a step, from one thread.
 *
 * Without it a step closes at the next FLATOUT_DATA_WAIT after an update; where
 * there is none, at the next FLATOUT_FORWARD. */
FLATOUT_API int flatout_step_end(uint64_t samples);

/* A figure by name, such as "loss", kept with the run. `name`: 1 to 64 bytes of
 * UTF-8, the same for each call of one series. `step`: as the program counts; -1
 * when it has none. `value` may be infinite or NaN. */
FLATOUT_API int flatout_log(const char* name, double value, int64_t step);

/* A number that may be another one without a change of what is trained: threads
 * of a reader, a prefetch depth, the size of a buffer. Returns `value`, or what
 * flatout sets in its place, from `least` to `most`: `flatout tune` finds the variable
 * by this call, tries others for it, and `flatout run --plan` sets what it kept.
 *
 *     int workers = (int)flatout_knob_int("workers", options.workers, 0, 16);
 *
 * `name`: 1 to 64 letters, digits, _ and -, the same for each call; at most 64
 * names count. `value` may lie outside of the range, as -1 does for "automatic". The
 * answer to the same arguments stays the same while the process lives, so it may be
 * asked once at the start, before the first step, or each step. Without flatout,
 * with a name that is none, or where least > most: `value`. */
FLATOUT_API int64_t flatout_knob_int(const char* name, int64_t value, int64_t least, int64_t most);

/* Where the model computes: "cpu" (assumed when nothing is said), "cuda" or
 * "cuda:1". Say it once, before the first step. On a device that works
 * asynchronously mark FLATOUT_SYNC too, or its time shows up wherever the host
 * next waits. */
FLATOUT_API int flatout_device(const char* device);

/* ---- A tracked run: config, curves, texts, files ----------------------------
 *
 *     struct flatout_track_options about = {.project = "mnist", .tags = "base,small"};
 *     int track = flatout_track_open(&about);
 *     flatout_track_config_number(track, "lr", 0.1);
 *     for (...) flatout_track_log(track, "train/loss", loss, step);
 *     flatout_track_artifact(track, "model.bin", "model", "model");
 *     flatout_track_finish(track, 0);
 *
 * It lies beside steps and device figures of the same recording; `flatout ls`, `show`, `ui` and the
 * HTTP API have it, as what a Python script tracks (docs/track.md).
 *
 * `track` is what flatout_track_open returned. With 0, which is what it returns where nothing is
 * recorded, every call does nothing and is FLATOUT_OFF; after flatout_track_finish, and with any
 * other number, it is FLATOUT_INVALID.
 * THREADS  As above. A child made by fork() writes into the same tracked runs.
 * COST  flatout_track_log is as flatout_log. The others allocate, and wait for at most 10 ms where
 *     the ring is full; those of files, and texts above 60 000 bytes, wait for the disk.
 * TEXT  UTF-8; what is none becomes U+FFFD. Texts and JSON have at most 8 MiB, keys and names of
 *     series 1 to 512 bytes.
 * TRIALS  In trials of `flatout tune` and `search` numbers alone are kept. */

/* All may be NULL. Made of { 0 }, so that members that come later are NULL, too. Those above 512
 * bytes (notes: 4000) are cut. */
struct flatout_track_options {
  const char* project;
  const char* name;
  const char* id; /* at most 128 bytes; several runs of one id are one. NULL: a new one is drawn */
  const char* group;
  const char* job_type;
  const char* notes;
  const char* tags;        /* parted by commas */
  int resumed;             /* not 0: this goes on with the run of that id */
  const void* reserved[8]; /* NULL */
};

/* Opens a tracked run, of which a process can have 64; `options` may be NULL. A number above 0 for
 * the calls below, or 0 where nothing is recorded. */
FLATOUT_API int flatout_track_open(const struct flatout_track_options* options);

/* A figure of the tracked run; see flatout_log. */
FLATOUT_API int flatout_track_log(int track, const char* name, double value, int64_t step);
/* A text at a step, such as a generated sample. */
FLATOUT_API int flatout_track_log_text(int track, const char* name, const char* text, int64_t step);

/* What the run was made with. `json` is an object of at most 32 levels; members that are objects
 * are merged with those that are there, all else is replaced. */
FLATOUT_API int flatout_track_config_number(int track, const char* key, double value);
FLATOUT_API int flatout_track_config_text(int track, const char* key, const char* text);
FLATOUT_API int flatout_track_config_json(int track, const char* json);

/* What came of it; without these calls it is the last value of each series. */
FLATOUT_API int flatout_track_summary_number(int track, const char* key, double value);
FLATOUT_API int flatout_track_summary_text(int track, const char* key, const char* text);
FLATOUT_API int flatout_track_summary_json(int track, const char* json);

/* Copies a file, of at most 16 GiB, to the recording, under the name `shown` (NULL: `path`).
 * FLATOUT_INVALID where `path` is no regular file. */
FLATOUT_API int flatout_track_file(int track, const char* path, const char* shown);
/* The same as a version of the artifact `name`, of a `type` such as "model" (NULL: "file"). The
 * version is the beginning of the hash of its content. */
FLATOUT_API int flatout_track_artifact(int track, const char* path, const char* name,
                                       const char* type);

enum flatout_alert_level {
  FLATOUT_ALERT_INFO = 0,
  FLATOUT_ALERT_WARN = 1,
  FLATOUT_ALERT_ERROR = 2
};

/* Something that a person should see: a title (256 bytes), a text (16 KiB; may be NULL). */
FLATOUT_API int flatout_track_alert(int track, const char* title, const char* text, int level);

/* The tracked run is over; an exit code other than 0 means that it failed. Without this call the
 * end of the program is its end. */
FLATOUT_API int flatout_track_finish(int track, int exit_code);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* FLATOUT_FLATOUT_H */
