/*
 * flatout/data.h: batches of samples from files, made by threads of a library of its own
 * (libflatout_data.so). Without Python, and with or without `flatout run`.
 *
 *     flatout_loader* loader;
 *     if (flatout_loader_open("{\"images\":\"train/\",\"shuffle\":true,\"batch_size\":64,"
 *                             "
 * \"steps\":[{\"random_resized_crop\":224},\"random_horizontal_flip\"]}", &loader) != FLATOUT_OK)
 *       fail(flatout_data_error());
 *     for (uint32_t epoch = 0; epoch < 90; ++epoch) {
 *       flatout_loader_begin(loader, epoch, NULL, 0);
 *       flatout_batch* batch;
 *       while (flatout_loader_next(loader, &batch) == FLATOUT_OK) {
 *         train(flatout_batch_data(batch), flatout_batch_labels(batch), flatout_batch_size(batch));
 *         flatout_batch_free(batch);
 *       }
 *     }
 *     flatout_loader_close(loader);
 *
 * docs/data.md lists what the text may hold.
 *
 * THREADS  Any; calls of one loader take turns, so who wants an epoch's batches in order asks
 *     from one thread. A loader may be closed by any thread: one that waits in
 *     flatout_loader_next() gets FLATOUT_CLOSED. A batch may be freed by any thread, also after its
 *     loader was closed. After fork() the child cannot use a loader of its parent.
 * OWNERSHIP  What a function returns as a pointer lives as long as the loader or batch that it
 *     was asked of, unless it says otherwise. Close each loader, free each batch.
 * ERRORS  FLATOUT_OK, FLATOUT_END, or FLATOUT_INVALID or FLATOUT_CLOSED with the reason in
 *     flatout_data_error(). A loader that was closed, also twice, may be named by any call: that
 *     gives FLATOUT_CLOSED, or -1 or NULL where it returns a number or a text; a handle is never
 *     given again. No call ends the program, whatever the files hold.
 */
#ifndef FLATOUT_DATA_H
#define FLATOUT_DATA_H

#include <stdint.h>

#include "flatout/flatout.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FLATOUT_END 2    /* the epoch has no further batch */
#define FLATOUT_CLOSED 3 /* the loader was closed, perhaps while this call waited */

typedef struct flatout_loader flatout_loader;
typedef struct flatout_batch flatout_batch;

/* Why the calling thread's last call that failed did so, one line; until its next one that fails.
 */
FLATOUT_API const char* flatout_data_error(void);

/* A loader as `spec`, a JSON text, describes it. The second takes `count` files instead of a
 * folder's: path and label each, both copied; labels may be NULL (all 0). */
FLATOUT_API int flatout_loader_open(const char* spec, flatout_loader** loader);
FLATOUT_API int flatout_loader_open_files(const char* spec, const char* const* paths,
                                          const int64_t* labels, int64_t count,
                                          flatout_loader** loader);

/* Likewise of samples that are parts of files, such as what a table holds: `places` has three
 * numbers of each sample, the number of its file in `paths`, its first byte there and how many
 * bytes it has. All is copied; up to 256 files stay open, and are read as they are now. A place
 * behind a file's end is a bad sample. */
FLATOUT_API int flatout_loader_open_blobs(const char* spec, const char* const* paths,
                                          int64_t path_count, const int64_t* places,
                                          const int64_t* labels, int64_t count,
                                          flatout_loader** loader);
/* Ends the loader's threads, which takes no longer than a sample. NULL, or closed before: nothing.
 */
FLATOUT_API void flatout_loader_close(flatout_loader* loader);

/* Samples of the whole set, and the names of its classes in the order of the labels: none for a
 * list of files. NULL where `label` is no class. */
FLATOUT_API int64_t flatout_loader_samples(const flatout_loader* loader);
FLATOUT_API int64_t flatout_loader_classes(const flatout_loader* loader);
FLATOUT_API const char* flatout_loader_class(const flatout_loader* loader, int64_t label);

/* How errors name a sample: its file, or its tar file, ": " and its member there. Until the next
 * such call of this loader; NULL where there is no such sample. */
FLATOUT_API const char* flatout_loader_name(flatout_loader* loader, int64_t sample);

/* Bytes of one sample (the largest one's), and a picture's shape: three numbers, in the order in
 * which they lie in memory; 0 of what is no picture, see flatout_batch_array. */
FLATOUT_API int64_t flatout_loader_sample_bytes(const flatout_loader* loader);
FLATOUT_API void flatout_loader_shape(const flatout_loader* loader, int64_t shape[3]);

/* Begins an epoch, in the order that the spec asks for, or with `count` samples by their numbers.
 */
FLATOUT_API int flatout_loader_begin(flatout_loader* loader, uint32_t epoch, const int64_t* order,
                                     int64_t count);

/* Begins an epoch, in the order that the spec asks for, behind the `drawn` samples that all ranks
 * together have had of it: what is left is shared out anew, so the number of ranks may be another.
 * The samples are those that an epoch without interruption would have given, to the last bit. */
FLATOUT_API int flatout_loader_resume(flatout_loader* loader, uint32_t epoch, int64_t drawn);

/* Samples of the epoch that were handed over so far, with those before a resume. In the order of
 * the spec: by all ranks together, each taken to be as far as this one. */
FLATOUT_API int64_t flatout_loader_drawn(const flatout_loader* loader);

/* Puts one more batch behind those of the epoch: `count` samples by their numbers, at most the
 * spec's batch_size. An epoch that was begun with no samples takes its order so, piece by piece: it
 * ends for flatout_loader_next() when nothing is left, and goes on with what is appended then. */
FLATOUT_API int flatout_loader_append(flatout_loader* loader, const int64_t* indices,
                                      int64_t count);

/* As if this epoch had had these `count` samples before. For an epoch of appended batches that goes
 * on where another process stopped: each time that an epoch draws a sample, it is augmented anew.
 */
FLATOUT_API int flatout_loader_passed(flatout_loader* loader, const int64_t* indices,
                                      int64_t count);

/* The next batch. Waits until it is made. After an error the next call continues after that batch.
 */
FLATOUT_API int flatout_loader_next(flatout_loader* loader, flatout_batch** batch);

/* So many threads from now on. 0: the loader's own tuning chooses them again, where it was opened
 * with "tune", as it is without "threads". Changes no sample. */
FLATOUT_API int flatout_loader_set_threads(flatout_loader* loader, int threads);

/* Batches from now on go to a device's memory, "cuda" (the calling thread's, else the first) or
 * "cuda:1", before the first epoch; "cpu" changes nothing. CUDA's driver is opened when this is
 * called; where it, or the device, is missing, the error says so and the loader is as it was. The
 * batch's arrays are those of flatout_batch_array(): of pictures "images" and "labels", or
 * "targets" where they are mixed. docs/data.md. */
FLATOUT_API int flatout_loader_to_device(flatout_loader* loader, const char* device);

/* Figures since the loader was opened, as JSON: samples, batches, bad and skipped samples, threads
 * and the prefetch depth as they are now, nanoseconds of all threads by stage and by what they
 * waited for (docs/data.md), under "tuning" which of the two are tuned and what was changed why;
 * null without "tune"; under "cache" bytes, hits and misses, null without it; under "h2d" the
 * copies to a device, where there is one. Until the next such call of this loader. */
FLATOUT_API const char* flatout_loader_stats(flatout_loader* loader);

/* Samples of a batch; their pixels, one sample behind the other (NULL on a device); their labels
 * and numbers. */
FLATOUT_API int64_t flatout_batch_size(const flatout_batch* batch);
FLATOUT_API void* flatout_batch_data(flatout_batch* batch);
FLATOUT_API const int64_t* flatout_batch_labels(const flatout_batch* batch);
FLATOUT_API const int64_t* flatout_batch_indices(const flatout_batch* batch);

/* Where the spec has "mix": shares of classes, size rows of `classes` numbers (MixUp, CutMix); else
 * NULL, and 0. The labels are those of the samples before they were mixed. */
FLATOUT_API const float* flatout_batch_targets(const flatout_batch* batch);
FLATOUT_API int64_t flatout_batch_classes(const flatout_batch* batch);
/* Of a loader of "tokens" or "arrays", or with a device: one array of a batch, of all its samples.
 * `type` as NumPy calls it, "int64", or "bfloat16". The first axis is the batch's. */
typedef struct flatout_array {
  const char* name; /* "inputs", "targets", "tokens", "data", "labels" */
  const char* type;
  void* data;   /* the array's numbers in C order; begins at a multiple of 64 bytes. On a device:
                 * its address there */
  int64_t axes; /* of `shape`: 1 to 8 */
  int64_t shape[8];
} flatout_array;

/* How many such arrays a batch has, 0 of pictures in the host's memory; and one of them, by number
 * from 0. What it points to lives as long as the batch. */
FLATOUT_API int64_t flatout_batch_arrays(const flatout_batch* batch);
FLATOUT_API int flatout_batch_array(flatout_batch* batch, int64_t number, flatout_array* array);

/* The number of the CUDA device that the batch is on; -1: in the host's memory. */
FLATOUT_API int64_t flatout_batch_device(const flatout_batch* batch);

/* Of a batch on a device: what `stream` (a CUstream or cudaStream_t; NULL: the default stream) is
 * given from now on comes behind the batch's copy. The host does not wait. The memory is used
 * again behind what the stream was given before the batch was freed, so to free it with kernels
 * under way is safe. Any thread. */
FLATOUT_API int flatout_batch_wait(flatout_batch* batch, void* stream);

/* The batch is used by streams of which nobody told: its memory is used again when the whole device
 * has come to rest. */
FLATOUT_API void flatout_batch_used_unseen(flatout_batch* batch);

/* One of its arrays as a DLManagedTensor of DLPack, which keeps the memory until its deleter is
 * called, by any thread, also when the batch was freed. Nothing waits: see flatout_batch_wait. */
FLATOUT_API int flatout_batch_dlpack(flatout_batch* batch, int64_t number, void** managed);

/* For a capsule of Python's around such a tensor: with the addresses of PyCapsule_IsValid and
 * PyCapsule_GetPointer, that of a destructor that lets go a tensor which nobody took. */
FLATOUT_API void* flatout_batch_capsule_end(void* is_valid, void* get_pointer);

/* With "on_bad_sample": "mark", samples of a batch that could not be made: how many, and the place
 * in the batch, where the pixels mean nothing, and the reason of each, by number from 0. -1 and
 * NULL where there is no such. */
FLATOUT_API int64_t flatout_batch_bad(const flatout_batch* batch);
FLATOUT_API int64_t flatout_batch_bad_place(const flatout_batch* batch, int64_t number);
FLATOUT_API const char* flatout_batch_bad_reason(const flatout_batch* batch, int64_t number);

FLATOUT_API void flatout_batch_free(flatout_batch* batch); /* NULL: nothing */

/* Told after each sample, by the thread that called flatout_pack: samples done of all, and how many
 * of them were left out. Anything but 0 ends packing. */
typedef int (*flatout_pack_progress)(void* context, int64_t done, int64_t total, int64_t left_out);

/* Rewrites a set into a folder of flatout's shards, which a spec's "packed" reads. `spec` is a JSON
 * text: "images" or "shards" (with "unpack") as for a loader; "to", the folder; "kind", "jpeg"
 * (resized and encoded again), "raw" (resized, pixels) or "original" (bytes as they are); "size"
 * (256) of the shorter side; "quality" (90); "shard_bytes" (2^28); "threads". A sample that is no
 * good is left out. What was interrupted, also by a kill, goes on with the same call. `progress`
 * and `report` may be NULL; `report` becomes what was done, as JSON: samples, left_out, shards,
 * kept_shards, bytes, and named, at most 1000 {index, why} of what this call left out; until the
 * thread's next such call. docs/data.md. */
FLATOUT_API int flatout_pack(const char* spec, flatout_pack_progress progress, void* context,
                             const char** report);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* FLATOUT_DATA_H */
