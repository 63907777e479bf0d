// Keys of run::Fact and the shape of their JSON. A field that is not known is
// absent. Written by the hooks (python/flatout/hooks), read by analyse.
#pragma once

#include <string_view>

namespace flatout::run::facts {

// {"torch":"2.13.0","python":"3.11.7","cuda":"12.4"|absent,"intraop_threads":2,
//  "interop_threads":1,"device":"cuda"|"cpu"}
constexpr std::string_view kEnvironment = "environment";

// {"seconds":4.2}: wall time of the main thread's imports until torch was first used.
constexpr std::string_view kImports = "imports";

// {"loader":1,"workers":0,"prefetch_factor":2,"pin_memory":false,
//  "persistent_workers":false,"batch_size":64,"drop_last":false,
//  "dataset":"ImageFolder","iterable":false,"dataset_len":4000,
//  "built_at":"/abs/train.py:41","multiprocessing_context":"fork",
//  "engine":"native","cache":"decoded","fetched_batches":2,"fetched_reason":"sample 7: /abs/7.jpg:
//  ...", "native_refusal":"torchvision.transforms.Lambda has no native form"}
// "engine": where the loading engine makes its batches; its workers are then none. "cache": what it
// keeps of the samples in memory.
// "fetched_batches": those of them so far that it could not make, so that the dataset's Python
// did; "fetched_reason": why the first. Said again at 1, 2, 4, ..., after each epoch that had one
// and at the end of the process.
// "native_refusal": why it could not, "" = it could; of pictures in folders, tar shards and Hugging
// Face's alone.
constexpr std::string_view kLoader = "loader";

// {"loader":1,"samples":3000,"folder":"/abs/train","files":["a/1.jpg",…],"spec":{…},
//  "places":[[0,128,9000],…],"why_not":"its samples lie in tar shards"}: some of the files that its
// samples are read from, evenly over all, for measuring the loading engine on them; said with a
// loader's first iterator, of the first 8 loaders. "spec": as flatout_loader_open takes it,
// of a loader that has a native form; absent where the dataset is a class of the program that holds
// a list of picture files. "places": of samples that are parts of files: number of the file, first
// byte, bytes. "why_not": instead of files, why none are named.
constexpr std::string_view kLoaderFiles = "loader_files";

// {"pid":12,"loader":1,"samples_per_s":1100.5,"threads":2,"cpu_ms":1.7,"seconds":0.75,
//  "files":256,"size":[224,224]} or {"pid":12,"loader":1,"skipped":"the files are gone"}: said by
//  the
// recorder once the program has ended: how fast the loading engine makes samples of the files of
// kLoaderFiles of that process. "cpu_ms": of CPU time a sample. "size": height and width to which
// it cropped them at random, where no native form says what the loader does.
constexpr std::string_view kEngineSpeed = "engine_speed";

// {"loader":1,"threads":8,"ahead":2,"samples":640,"batches":20,"read_ns":…,"read_busy_ns":…,
//  "read_blocked_ns":…,"decode_ns":…,…,"idle_full_ns":…,"idle_starved_ns":…,"idle_unasked_ns":…,
//  "consumer_wait_ns":…}: counters of the loading engine (flatout_loader_stats), over all its
// threads, since that loader's engine was opened. Said now and then while batches are drawn,
// and when an epoch or the process ends: by the hooks of a DataLoader's engine, by
// libflatout_data itself of any other loader, whose numbers begin at 2^16.
constexpr std::string_view kEngine = "engine";

// {"iterator":3,"loader":1,"worker_pids":[12,13]}: at the end of iter_build.
constexpr std::string_view kIterator = "iterator";

// {"class":"ResNet","parameters":25557032,"dtypes":{"float32":25557032},
//  "device":"cpu","compiled":false,"trainable":25557032,"conv2d":true,"input":[32,3,224,224]}: the
// first root
// module that runs forward with gradients. "compiled": by torch.compile, all of it or a
// part; "conv2d": it holds one of torch's; "input": the shape of a batch of pictures that it was
// given; "attention", of Hugging Face's models alone: how they compute it ("eager", "sdpa").
constexpr std::string_view kModel = "model";

// {"class":"SGD","built_at":"/abs/train.py:50","fused":false,"foreach":true,
//  "capturable":false,"tensors":161}: fused and foreach as the step resolves
// them (torch's default included), absent for optimizers that have no such
// choice; "tensors" counts the parameters over all groups.
constexpr std::string_view kOptimizer = "optimizer";

// {"worker_id":0,"loader_seed":123}: said by a loader worker.
constexpr std::string_view kWorker = "worker";

// {"autocast":"bfloat16"|"float16"|"off","scaler":false,"tf32_matmul":false,
//  "tf32_cudnn":true,"float32_matmul_precision":"highest","cudnn_benchmark":false,
//  "cudnn_deterministic":false}: as in the first forward with gradients; said
// again when it changes (looked at once an epoch, and every 256 forwards).
constexpr std::string_view kPrecision = "precision";

// {"name":"transformers.Trainer"|"lightning.Trainer","version":"4.57.1",
//  "args":{"per_device_train_batch_size":8,…},"steps":5000}: a framework whose loop runs;
// args are those that a knob of flatout could set, steps the updates of the whole
// training (absent: nothing bounds them).
constexpr std::string_view kFramework = "framework";

// {"rank":0,"world_size":2,"local_rank":0,"backend":"gloo"}
constexpr std::string_view kRank = "rank";

// {"devices":[{"index":0,"name":"NVIDIA A100-SXM4-40GB","memory_bytes":…}]}
constexpr std::string_view kDevices = "devices";

// {"phase":"h2d","at":"/abs/train.py:58","pinned":false,"bytes":123}
constexpr std::string_view kCopy = "copy";

// {"abi":1,"version":"0.1.0"}: the program marks phases through flatout.h.
constexpr std::string_view kMarks = "marks";

// {"iteration":100,"comm_ns":7000000,"waited_ns":2000000}: what DistributedDataParallel has
// measured itself, on the device, of the backward of one iteration: its communication, and as much
// of it as no computation overlapped. Said at looks and at the end, once an iteration that it
// measured.
constexpr std::string_view kDdp = "ddp";

// {"boundaries":62,"copies":30}: so many boundaries of phases and copies were not timed on the
// device so far, because a CUDA graph was being captured. Said behind a capture, absent without
// a loss.
constexpr std::string_view kCaptures = "captures";

// {"knob":"dataloader.num_workers","value":6,"from":0,"applied":true}: a knob of
// the plan that this process runs under; where it could not be set, "applied" is
// false and "reason" one sentence, and "most" the largest number that it could be set to, where
// only its size was the reason. "effect": what else it changed, one clause. Said again when it
// changes.
constexpr std::string_view kKnob = "knob";

// {"name":"workers","value":2,"least":0,"most":12}: a variable that the program offers as
// a knob (flatout_knob_int), with its own value. Its id is run::kProgramKnob and the name.
constexpr std::string_view kDeclaredKnob = "declared_knob";

// {"loader":1,"fetch_draws":false}: in a trial, whether fetching and collating change
// random state that lies in the training process (torch's CPU generator, random, numpy,
// generators that the dataset holds), seen at the first fetches of a loader without
// workers. Said again when one does.
constexpr std::string_view kDraws = "draws";

// {"loader":1,"batches":32,"hash":"0123456789abcdef"}: in a trial, a hash of the indices
// that the sampler gave for the first 1, 2, 4, 8, 16 and 32 batches of a loader that
// trains, one fact each, as far as it came. With workers more are drawn ahead than are
// used: runs are compared at the most batches that both have said. Absent for an
// IterableDataset.
constexpr std::string_view kIndices = "indices";

// {"loader":1,"batches":32,"samples":128,"repeats":0,"together":"0123456789abcdef",
//  "rising":60,"successors":2,"quantiles":[0,…],"rests":[8,…],"ended":true}: in a trial,
// beside kIndices from 8 batches on, what the first so many batches held whatever their order:
// how many samples, how many of them came before, a hash of all; of whole numbers
// also how often one is larger than the one before and by one, the values at each sixteenth of
// the sorted ones, and how many have each remainder by 16. "ended": these are the whole
// first epoch, said when the next one begins. Absent with more than 65536 samples.
constexpr std::string_view kSamples = "samples";

// {"host_peak_bytes":…,"host_data_bytes":…,"device_peak_bytes":…,
//  "device_reserved_peak_bytes":…,"device_limit_bytes":…}: in a trial, the most memory
// that the process held so far; said after updates 1, 2, 4, ... and at the trial's last.
// Of the device: what torch's allocator handed out, held, and could hold at most; absent
// without one.
constexpr std::string_view kMemory = "memory";

// {"room_bytes":…,"oom_kills":…}: of a trial, said by its recorder before it starts and
// when it has ended: the memory that was to be had, and the processes of this cgroup that
// the kernel has killed for want of memory so far; each absent where it is not known.
constexpr std::string_view kHostMemory = "host_memory";

// {"type":"torch.OutOfMemoryError","message":"CUDA out of memory. …","at":"/abs/train.py:50"}: the
// exception that nobody caught, said when the interpreter ends. "message" is absent where asking
// for it would run the program's code.
constexpr std::string_view kFailure = "failure";

// {"steps":20}: the run was ended by its --stop-after; said by the recorder.
constexpr std::string_view kStopped = "stopped";

// {"problem":"…"}: one clear line for the user, said at most once a problem.
constexpr std::string_view kProblem = "problem";

// Key "stage_name.3": the JSON string that stage 3 of this process is called.
// Batches carry the names already; record reads this after it was killed.
constexpr std::string_view kStageNamePrefix = "stage_name.";

}  // namespace flatout::run::facts
