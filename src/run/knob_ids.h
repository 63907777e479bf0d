// Generated from schema/knobs.toml by tools/gen_knobs.py. Do not edit.
// The ids of flatout's own knobs, for whoever names one. What follows from a knob is asked of its
// facts (run/knob_table.h), never decided by its id; tools/check_layers.py holds that.
// clang-format off
#pragma once

namespace flatout::run::knob_id {

inline constexpr char kDataloaderEngine[] = "dataloader.engine";
inline constexpr char kDataloaderCache[] = "dataloader.cache";
inline constexpr char kDataloaderNumWorkers[] = "dataloader.num_workers";
inline constexpr char kDataloaderPrefetchFactor[] = "dataloader.prefetch_factor";
inline constexpr char kDataloaderPersistentWorkers[] = "dataloader.persistent_workers";
inline constexpr char kDataloaderPinMemory[] = "dataloader.pin_memory";
inline constexpr char kEnvIntraopThreads[] = "env.intraop_threads";
inline constexpr char kCudaCudnnBenchmark[] = "cuda.cudnn_benchmark";
inline constexpr char kPrecisionTf32[] = "precision.tf32";
inline constexpr char kOptimizerFused[] = "optimizer.fused";
inline constexpr char kPrecisionBf16[] = "precision.bf16";
inline constexpr char kPrecisionFp16[] = "precision.fp16";
inline constexpr char kLayoutChannelsLast[] = "layout.channels_last";
inline constexpr char kCompileMode[] = "compile.mode";
inline constexpr char kAllocExpandableSegments[] = "alloc.expandable_segments";
inline constexpr char kDataloaderNonBlocking[] = "dataloader.non_blocking";
inline constexpr char kAttentionSdpa[] = "attention.sdpa";
inline constexpr char kKernelsLiger[] = "kernels.liger";
inline constexpr char kKernelsHf[] = "kernels.hf";
inline constexpr char kBatchSize[] = "batch.size";
inline constexpr char kBatchAccumulate[] = "batch.accumulate";

}  // namespace flatout::run::knob_id
