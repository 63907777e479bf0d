// Generated from schema/facts.toml by tools/gen_schema.py. Do not edit.
// clang-format off
// Keys of run::Fact and the shape of their JSON. A field that is not known is
// absent. Written by the hooks (python/flatout/hooks); as types in run/observed.h.
#pragma once

#include <string_view>

namespace flatout::run::facts {

// {"torch":"2.13.0","python":"3.11.7","cuda":"12.4"|absent,"intraop_threads":2,"interop_threads":1,"device":"cuda"|"cpu"}
// What the program runs on.
constexpr std::string_view kEnvironment = "environment";

// {"seconds":4.2}
// Wall time of the main thread's imports until torch was first used.
constexpr std::string_view kImports = "imports";

// {"loader":1,"workers":0,"prefetch_factor":2,"pin_memory":false,"persistent_workers":false,"batch_size":64,"drop_last":false,"dataset":"ImageFolder","iterable":false,"dataset_len":4000,"epoch_samples":2000,"built_at":"/abs/train.py:41","built_by":"transformers","batch_sampler":true,"multiprocessing_context":"fork","engine":"native","cache":"decoded","fetched_batches":2,"fetched_reason":"sample
// 7: /abs/7.jpg: ...","native_refusal":"torchvision.transforms.Lambda has no native form"}
// A DataLoader. Written again at 1, 2, 4, ... batches that Python fetched, after each epoch
// that had one and at the end of the process.
constexpr std::string_view kLoader = "loader";

// {"loader":1,"samples":3000,"folder":"/abs/train","files":["a/1.jpg",...],"spec":{...},"places":[[0,128,9000],...],"why_not":"its
// samples lie in tar shards"}
// Some of the files that a loader's samples are read from, evenly over all, for measuring the
// loading engine on them. Written with its first iterator, of the first 8 loaders.
constexpr std::string_view kLoaderFiles = "loader_files";

// {"pid":12,"loader":1,"samples_per_s":1100.5,"threads":2,"cpu_ms":1.7,"seconds":0.75,"files":256,"size":[224,224]}
// or {"pid":12,"loader":1,"skipped":"the files are gone"}
// How fast the loading engine makes samples of the files of loader_files of that process.
// Written by the recorder once the program has ended.
constexpr std::string_view kEngineSpeed = "engine_speed";

// {"loader":1,"threads":8,"ahead":2,"samples":640,"bad_samples":0,"skipped_samples":0,"batches":20,"read_busy_ns":...,"read_blocked_ns":...,"decode_busy_ns":...,"idle_full_ns":...,"idle_starved_ns":...,"idle_unasked_ns":...,"consumer_wait_ns":...,"read_ns":...,"decode_ns":...,"transform_ns":...,"mix_ns":...,"cpu_ns":...,"thread_idle_ns":...}
// Counters of the loading engine (flatout_loader_stats), over all its threads, since that
// loader's engine was opened. Written now and then while batches are fetched, and when an epoch
// or the process ends: by the hooks of a DataLoader's engine, by libflatout_data itself of any
// other loader, whose numbers begin at 2^16.
constexpr std::string_view kEngine = "engine";

// {"iterator":3,"loader":1,"worker_pids":[12,13]}
// An iterator of a loader. Written at the end of iter_build.
constexpr std::string_view kIterator = "iterator";

// {"class":"ResNet","parameters":25557032,"dtypes":{"float32":25557032},"device":"cpu","compiled":false,"trainable":25557032,"conv2d":true,"input":[32,3,224,224]}
// The first root module that runs forward with gradients.
constexpr std::string_view kModel = "model";

// {"class":"SGD","built_at":"/abs/train.py:50","fused":false,"foreach":true,"capturable":false,"tensors":161}
// An optimizer. fused and foreach as the step resolves them (torch's default included), absent
// of optimizers without such a choice.
constexpr std::string_view kOptimizer = "optimizer";

// {"worker_id":0,"loader_seed":123}
// Written by a loader worker.
constexpr std::string_view kWorker = "worker";

// {"autocast":"bfloat16"|"float16"|"off","scaler":false,"tf32_matmul":false,"tf32_cudnn":true,"float32_matmul_precision":"highest","cudnn_benchmark":false,"cudnn_deterministic":false}
// As in the first forward with gradients. Written again when it changes (looked at once an
// epoch, and every 256 forwards).
constexpr std::string_view kPrecision = "precision";

// {"name":"transformers.Trainer"|"lightning.Trainer","version":"4.57.1","args":{"per_device_train_batch_size":8,...},"steps":5000}
// A framework whose loop runs; args are those that a knob of flatout could set.
constexpr std::string_view kFramework = "framework";

// {"rank":0,"world_size":2,"local_rank":0,"backend":"gloo"}
// Its place among processes that train together.
constexpr std::string_view kRank = "rank";

// {"devices":[{"index":0,"name":"NVIDIA
// A100-SXM4-40GB","memory_bytes":...,"uuid":"..."|absent}],"current":0}
// The devices that torch sees.
constexpr std::string_view kDevices = "devices";

// {"phase":"h2d","at":"/abs/train.py:58","pinned":false,"bytes":123}
// A place that copies between host and device.
constexpr std::string_view kCopy = "copy";

// {"site":1,"call":"item","at":"/abs/train.py:57","by":"torch.nn.utils.clip_grad:87"|absent}
// A place in the program that waits for its device; spans of sync and h2d carry its number. at
// is the innermost line of the program's own code; by is the library's line that called, where
// one did. Written when the place is met, of the first 256.
constexpr std::string_view kWaitSite = "wait_site";

// {"abi":1,"version":"0.1.0"}
// The program marks phases through flatout.h.
constexpr std::string_view kMarks = "marks";

// {"iteration":100,"comm_ns":7000000,"waited_ns":2000000}
// What DistributedDataParallel measured itself, on the device, of the backward of one
// iteration. Written at looks and at the end, once an iteration that it measured.
constexpr std::string_view kDdp = "ddp";

// {"boundaries":62,"copies":30}
// So many boundaries of phases and copies were not timed on the device so far, because a CUDA
// graph was being captured. Written after a capture; absent without a loss.
constexpr std::string_view kCaptures = "captures";

// {"knob":"dataloader.num_workers","value":6,"from":0,"applied":true,"loaders_left_out":1|absent,"optimizers_left_out":1|absent}
// What became of a knob of the plan that this process runs under. Written again when it
// changes.
constexpr std::string_view kKnob = "knob";

// {"name":"workers","value":2,"least":0,"most":12}
// A variable that the program offers as a knob (flatout_knob_int), with its own value. Its id
// is run::kProgramKnob and the name.
constexpr std::string_view kDeclaredKnob = "declared_knob";

// {"loader":1,"fetch_draws":false}
// In a trial, whether fetching and collating change random state that lies in the training
// process (torch's CPU generator, random, numpy, generators that the dataset holds), seen at
// the first fetches of a loader without workers. Written again when one does.
constexpr std::string_view kDraws = "draws";

// {"loader":1,"batches":32,"hash":"0123456789abcdef"}
// In a trial, a hash of the indices that the sampler gave for the first 1, 2, 4, 8, 16 and 32
// batches of a loader that trains, one fact each, as far as it came. With workers more are
// drawn ahead than are used: runs are compared at the most batches that both have written.
// Absent for an IterableDataset.
constexpr std::string_view kIndices = "indices";

// {"loader":1,"batches":32,"samples":128,"repeats":0,"together":"0123456789abcdef","rising":60,"successors":2,"quantiles":[0,...],"rests":[8,...],"ended":true}
// In a trial, beside indices from 8 batches on, what the first so many batches held whatever
// their order. Absent with more than 65536 samples.
constexpr std::string_view kSamples = "samples";

// {"host_peak_bytes":...,"host_data_bytes":...,"device_peak_bytes":...,"device_reserved_peak_bytes":...,"device_limit_bytes":...}
// In a trial, the most memory that the process held so far; written after updates 1, 2, 4, ...
// and at the trial's last. Of the device: what torch's allocator handed out, held, and could
// hold at most.
constexpr std::string_view kMemory = "memory";

// {"room_bytes":...,"oom_kills":...}
// Of a trial, written by its recorder before it starts and when it has ended: the memory that
// was to be had, and the processes of this cgroup that the kernel has killed for want of memory
// so far.
constexpr std::string_view kHostMemory = "host_memory";

// {"type":"torch.OutOfMemoryError","message":"CUDA out of memory. ...","at":"/abs/train.py:50"}
// The exception that nobody caught, written when the interpreter ends. message is absent where
// asking for it would run the program's code.
constexpr std::string_view kFailure = "failure";

// {"steps":20}
// The run was ended by its --stop-after; written by the recorder.
constexpr std::string_view kStopped = "stopped";

// {"seconds":14.2,"lost_s":1.3,"tried":3,"cut_by":"the program has
// ended"|absent,"left_out":["num_workers: epochs are shorter than 2 s: flatout tune tries
// it"],"kept":[{"knob":"dataloader.num_workers","from":0,"to":4,"speedup":1.85,"lo":1.7,"hi":2.0}]}
// Settings were tried inside the training (run --tune); written by the recorder. seconds: of
// the search; lost_s: by which its steps took longer than they would have without it.
constexpr std::string_view kTuned = "tuned";

// {"mode":"kernels|windows","cupti":"12.4","state":"on"|"yielded"|"failed"|"absent","why":"..."}
// Of a run that was asked for a kernel trace: what became of it in this process. Written when
// it changes; why is absent where it is on, mode in runs that were recorded before it was said.
constexpr std::string_view kTrace = "trace";

// {"problem":"..."}
// One clear line for the user, written at most once a problem.
constexpr std::string_view kProblem = "problem";

// {"track":0,"source":"flatout|wandb|neptune|tensorboard|mlflow","id":"3k2f9x1c","project":"mnist","entity":"me","name":"brisk-wave-7","group":"sweep-1","job_type":"train","tags":["base"],"notes":"","namespace":"monitoring/a1","mode":"online","resumed":false,"branch":"fork|rewind","from":"8d1k2m4n","from_step":99}
// A tracked run: what one init() opened. Written whole again when it changes; the latest
// counts. Those of one source and id in several processes or recordings are one.
constexpr std::string_view kTrackRun = "track_run";

// {"track":0,"values":1200,"rows":3,"recordings":["k7qd"],"problem":""}
// Written by the recorder: what it copied of the history that a track_run's branch asks for, as
// values and rows of that track with times before its begin.
constexpr std::string_view kTrackHistory = "track_history";

// {"track":0,"set":{"lr":0.01,"model":{"depth":18}},"remove":["a.b"]}
// Changes of a tracked run's config: objects are merged, all else is replaced; remove comes
// first.
constexpr std::string_view kTrackConfig = "track_config";

// {"track":0,"set":{"best_accuracy":0.93}}
// What the script set itself in a tracked run's summary.
constexpr std::string_view kTrackSummary = "track_summary";

// {"track":0,"name":"val/*","step_metric":"epoch","step_sync":true,"hidden":false,"summary":"min,mean","goal":"minimize"}
// How a tracked run's metrics of this name, which may hold * and ?, are shown and summed up. Of
// several that fit, the exact name counts before globs, and the latest before earlier ones.
constexpr std::string_view kTrackMetric = "track_metric";

// {"track":0,"step":200,"data":{"status":"warm","sample":{"_type":"image","file":"9f3c....png"}}}
// What one log() held beside numbers: text, and media as objects with a _type.
constexpr std::string_view kTrackRow = "track_row";

// {"track":0,"title":"Low accuracy","text":"below 0.2 at epoch 3","level":"INFO|WARN|ERROR"}
// An alert that the script raised.
constexpr std::string_view kTrackAlert = "track_alert";

// {"track":0,"path":"model.pt","file":"9f3c....pt","bytes":1024,"kind":"file|artifact|media","artifact":{"name":"model","type":"model","version":"v0","aliases":["latest"]}}
// A file that was kept with a tracked run: its name in the script's terms, and that under
// files/ in the run's folder.
constexpr std::string_view kTrackFile = "track_file";

// {"track":0,"exit_code":0}
// The script called finish() of a tracked run.
constexpr std::string_view kTrackEnd = "track_end";

// {"track":0,"values":3,"facts":1}
// So much that was logged was not kept, all together so far: the ring was full, or a file could
// not be written. Absent without a loss.
constexpr std::string_view kTrackLoss = "track_loss";

// {"exit_code":0}
// The last tracked run of this process was finished. Where flatout recorded the process because
// init() asked for it, the recording ends.
constexpr std::string_view kTrackClose = "track_close";

// Key "stage_name.3": the JSON string that stage 3 of this process is called.
// Batches carry the names already; record reads this after it was killed.
constexpr std::string_view kStageNamePrefix = "stage_name.";

}  // namespace flatout::run::facts
