// Generated from schema/knobs.toml by tools/gen_knobs.py. Do not edit.
// clang-format off
#pragma once

#include <string_view>

#include "run/knob_facts.h"

namespace flatout::run {
namespace detail {

inline constexpr std::string_view kDataloaderEngineWords[] = {"torch", "native"};
inline constexpr std::string_view kDataloaderEngineGrid[] = {"\"native\""};
inline constexpr KnobByHand kDataloaderEngineByHand[] = {
    {"\"torch\"", "torch.utils.data.DataLoader(...)", "", ""}, 
    {"", "flatout.torch.DataLoader(..., engine=\"native\") in place of torch.utils.data.DataLoader", "", ""}};
inline constexpr std::string_view kDataloaderCacheWords[] = {"none", "encoded", "decoded"};
inline constexpr std::string_view kDataloaderCacheGrid[] = {"\"decoded\"", "\"encoded\""};
inline constexpr std::string_view kDataloaderCacheRequires[] = {"dataloader.engine"};
inline constexpr KnobByHand kDataloaderCacheByHand[] = {
    {"\"none\"", "flatout.torch.DataLoader(..., engine=\"native\", cache=None)", "", ""}, 
    {"", "flatout.torch.DataLoader(..., engine=\"native\", cache={})", "", ""}};
inline constexpr std::string_view kDataloaderNumWorkersGrid[] = {"2", "4", "1", "8"};
inline constexpr KnobByHand kDataloaderNumWorkersByHand[] = {
    {"", "DataLoader(..., num_workers={})", "dataloader_num_workers={}", ""}};
inline constexpr std::string_view kDataloaderPrefetchFactorGrid[] = {"4", "8"};
inline constexpr std::string_view kDataloaderPrefetchFactorRequires[] = {"dataloader.num_workers"};
inline constexpr KnobByHand kDataloaderPrefetchFactorByHand[] = {
    {"", "DataLoader(..., prefetch_factor={})", "dataloader_prefetch_factor={}", ""}};
inline constexpr std::string_view kDataloaderPersistentWorkersGrid[] = {"true"};
inline constexpr std::string_view kDataloaderPersistentWorkersRequires[] = {"dataloader.num_workers"};
inline constexpr KnobByHand kDataloaderPersistentWorkersByHand[] = {
    {"", "DataLoader(..., persistent_workers={})", "dataloader_persistent_workers={}", ""}};
inline constexpr std::string_view kDataloaderPinMemoryGrid[] = {"true"};
inline constexpr KnobByHand kDataloaderPinMemoryByHand[] = {
    {"", "DataLoader(..., pin_memory={})", "dataloader_pin_memory={}", ""}};
inline constexpr std::string_view kEnvIntraopThreadsGrid[] = {"1", "2", "4"};
inline constexpr std::string_view kEnvIntraopThreadsVariables[] = {"OMP_NUM_THREADS", "MKL_NUM_THREADS"};
inline constexpr KnobByHand kEnvIntraopThreadsByHand[] = {
    {"", "torch.set_num_threads({})", "", ""}};
inline constexpr std::string_view kCudaCudnnBenchmarkGrid[] = {"true"};
inline constexpr KnobByHand kCudaCudnnBenchmarkByHand[] = {
    {"", "torch.backends.cudnn.benchmark = {}", "", "benchmark={}"}};
inline constexpr std::string_view kPrecisionTf32Grid[] = {"true"};
inline constexpr KnobByHand kPrecisionTf32ByHand[] = {
    {"true", "torch.set_float32_matmul_precision(\"high\")", "tf32={}", ""}, 
    {"", "torch.set_float32_matmul_precision(\"highest\")", "tf32={}", ""}};
inline constexpr std::string_view kOptimizerFusedGrid[] = {"true"};
inline constexpr KnobByHand kOptimizerFusedByHand[] = {
    {"true", "torch.optim.AdamW(..., fused={})", "optim=\"adamw_torch_fused\"", ""}, 
    {"", "torch.optim.AdamW(..., fused={})", "optim=\"adamw_torch\"", ""}};
inline constexpr std::string_view kPrecisionBf16Grid[] = {"true"};
inline constexpr KnobByHand kPrecisionBf16ByHand[] = {
    {"", "with torch.autocast(device, dtype=torch.bfloat16): out = model(x)", "bf16=True", "precision=\"bf16-mixed\""}};
inline constexpr std::string_view kPrecisionFp16Grid[] = {"true"};
inline constexpr KnobByHand kPrecisionFp16ByHand[] = {
    {"", "torch.autocast(\"cuda\", dtype=torch.float16) around the model, and torch.amp.GradScaler() around backward and step", "fp16=True", "precision=\"16-mixed\""}};
inline constexpr std::string_view kLayoutChannelsLastGrid[] = {"true"};
inline constexpr KnobByHand kLayoutChannelsLastByHand[] = {
    {"", "model = model.to(memory_format=torch.channels_last), and the same of its input", "", ""}};
inline constexpr std::string_view kCompileModeWords[] = {"default", "reduce-overhead"};
inline constexpr std::string_view kCompileModeGrid[] = {"\"default\"", "\"reduce-overhead\""};
inline constexpr KnobByHand kCompileModeByHand[] = {
    {"", "model.compile(mode={})", "torch_compile=True, torch_compile_mode={}", ""}};
inline constexpr std::string_view kAllocExpandableSegmentsGrid[] = {"true"};
inline constexpr std::string_view kAllocExpandableSegmentsVariables[] = {"PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF"};
inline constexpr KnobByHand kAllocExpandableSegmentsByHand[] = {
    {"", "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:{} in the environment", "", ""}};
inline constexpr std::string_view kDataloaderNonBlockingGrid[] = {"true"};
inline constexpr std::string_view kDataloaderNonBlockingRequires[] = {"dataloader.pin_memory"};
inline constexpr KnobByHand kDataloaderNonBlockingByHand[] = {
    {"", "batch.to(device, non_blocking=True)", "", ""}};
inline constexpr std::string_view kAttentionSdpaGrid[] = {"true"};
inline constexpr KnobByHand kAttentionSdpaByHand[] = {
    {"", "AutoModel.from_pretrained(..., attn_implementation=\"sdpa\")", "", ""}};
inline constexpr std::string_view kKernelsLigerGrid[] = {"true"};
inline constexpr KnobByHand kKernelsLigerByHand[] = {
    {"", "liger_kernel.transformers.AutoLigerKernelForCausalLM, or its apply_liger_kernel_to_...() before the model is built", "use_liger_kernel=True", ""}};
inline constexpr std::string_view kKernelsHfGrid[] = {"true"};
inline constexpr KnobByHand kKernelsHfByHand[] = {
    {"", "model.set_use_kernels(True) before training, or from_pretrained(..., use_kernels=True); the first run downloads the kernels", "", ""}};
inline constexpr std::string_view kBatchSizeGrid[] = {"32", "64", "128", "256", "512"};
inline constexpr KnobByHand kBatchSizeByHand[] = {
    {"", "DataLoader(..., batch_size={})", "per_device_train_batch_size={}", ""}};
inline constexpr std::string_view kBatchAccumulateGrid[] = {"2", "4", "8"};
inline constexpr KnobByHand kBatchAccumulateByHand[] = {
    {"\"1/{}\"", "transformers.Trainer and Lightning alone: batches {} times as large, accumulated 1/{} times as often", "gradient_accumulation_steps divided by {}, per_device_train_batch_size times {}", "accumulate_grad_batches divided by {}, and batch_size of the DataLoader times {}"}, 
    {"", "batch_size of the DataLoader divided by {}, (loss / {}).backward(), and clipping, optimizer.step(), zero_grad() and scheduler.step() with the last of each {} batches only", "gradient_accumulation_steps times {}, per_device_train_batch_size divided by {}", "accumulate_grad_batches times {}, and batch_size of the DataLoader divided by {}"}};

}  // namespace detail

// All knobs, in the order in which they are listed to users.
inline constexpr KnobFacts kKnobTable[] = {
    {.id = "dataloader.engine",
     .short_name = "engine",
     .risk = Risk::kRounding,
     .changes = KnobChanges::kDraws,
     .switched = KnobSwitched::kLoader,
     .acts_on = KnobActsOn::kLoading,
     .replaces_code = true,
     .values = {.kind = KnobValueKind::kWord, .words = detail::kDataloaderEngineWords},
     .grid = detail::kDataloaderEngineGrid,
     .by_hand = detail::kDataloaderEngineByHand},
    {.id = "dataloader.cache",
     .short_name = "cache",
     .risk = Risk::kSameMaths,
     .changes = KnobChanges::kNothing,
     .switched = KnobSwitched::kLoader,
     .acts_on = KnobActsOn::kLoading,
     .values = {.kind = KnobValueKind::kWord, .words = detail::kDataloaderCacheWords},
     .grid = detail::kDataloaderCacheGrid,
     .required_knobs = detail::kDataloaderCacheRequires,
     .by_hand = detail::kDataloaderCacheByHand},
    {.id = "dataloader.num_workers",
     .short_name = "num_workers",
     .risk = Risk::kSameMaths,
     .changes = KnobChanges::kDraws,
     .switched = KnobSwitched::kLoader,
     .acts_on = KnobActsOn::kLoading,
     .counts = KnobCounts::kWorkers,
     .values = {.kind = KnobValueKind::kCount, .least = 0, .most = 1024},
     .grid = detail::kDataloaderNumWorkersGrid,
     .by_hand = detail::kDataloaderNumWorkersByHand,
     .edit = {.at = KnobBuilt::kLoader, .keyword = "num_workers", .position = 5}},
    {.id = "dataloader.prefetch_factor",
     .short_name = "prefetch_factor",
     .risk = Risk::kSameMaths,
     .changes = KnobChanges::kNothing,
     .switched = KnobSwitched::kLoader,
     .acts_on = KnobActsOn::kLoading,
     .values = {.kind = KnobValueKind::kCount, .least = 1, .most = 1024},
     .grid = detail::kDataloaderPrefetchFactorGrid,
     .required_knobs = detail::kDataloaderPrefetchFactorRequires,
     .by_hand = detail::kDataloaderPrefetchFactorByHand,
     .edit = {.at = KnobBuilt::kLoader, .keyword = "prefetch_factor"}},
    {.id = "dataloader.persistent_workers",
     .short_name = "persistent_workers",
     .risk = Risk::kSameMaths,
     .changes = KnobChanges::kNothing,
     .switched = KnobSwitched::kLoader,
     .acts_on = KnobActsOn::kLoading,
     .between_epochs = true,
     .values = {.kind = KnobValueKind::kSwitch},
     .grid = detail::kDataloaderPersistentWorkersGrid,
     .required_knobs = detail::kDataloaderPersistentWorkersRequires,
     .by_hand = detail::kDataloaderPersistentWorkersByHand,
     .edit = {.at = KnobBuilt::kLoader, .keyword = "persistent_workers"}},
    {.id = "dataloader.pin_memory",
     .short_name = "pin_memory",
     .risk = Risk::kSameMaths,
     .changes = KnobChanges::kNothing,
     .switched = KnobSwitched::kLoader,
     .acts_on = KnobActsOn::kLoading,
     .values = {.kind = KnobValueKind::kSwitch},
     .grid = detail::kDataloaderPinMemoryGrid,
     .by_hand = detail::kDataloaderPinMemoryByHand,
     .edit = {.at = KnobBuilt::kLoader, .keyword = "pin_memory", .position = 7}},
    {.id = "env.intraop_threads",
     .short_name = "intraop_threads",
     .risk = Risk::kRounding,
     .changes = KnobChanges::kRounding,
     .switched = KnobSwitched::kLive,
     .acts_on = KnobActsOn::kLoading,
     .values = {.kind = KnobValueKind::kCount, .least = 1, .most = 4096},
     .grid = detail::kEnvIntraopThreadsGrid,
     .variables = {.names = detail::kEnvIntraopThreadsVariables, .text = "{}"},
     .by_hand = detail::kEnvIntraopThreadsByHand},
    {.id = "cuda.cudnn_benchmark",
     .short_name = "cudnn_benchmark",
     .risk = Risk::kRounding,
     .changes = KnobChanges::kRounding,
     .switched = KnobSwitched::kLive,
     .values = {.kind = KnobValueKind::kSwitch},
     .grid = detail::kCudaCudnnBenchmarkGrid,
     .by_hand = detail::kCudaCudnnBenchmarkByHand},
    {.id = "precision.tf32",
     .short_name = "tf32",
     .risk = Risk::kRounding,
     .changes = KnobChanges::kRounding,
     .switched = KnobSwitched::kLive,
     .acts_on = KnobActsOn::kComputing,
     .values = {.kind = KnobValueKind::kSwitch},
     .grid = detail::kPrecisionTf32Grid,
     .by_hand = detail::kPrecisionTf32ByHand},
    {.id = "optimizer.fused",
     .short_name = "fused",
     .risk = Risk::kRounding,
     .changes = KnobChanges::kRounding,
     .switched = KnobSwitched::kLive,
     .values = {.kind = KnobValueKind::kOn},
     .grid = detail::kOptimizerFusedGrid,
     .by_hand = detail::kOptimizerFusedByHand,
     .edit = {.at = KnobBuilt::kOptimizer, .keyword = "fused"}},
    {.id = "precision.bf16",
     .short_name = "bf16",
     .risk = Risk::kRounding,
     .changes = KnobChanges::kRounding,
     .switched = KnobSwitched::kLive,
     .acts_on = KnobActsOn::kComputing,
     .values = {.kind = KnobValueKind::kOn},
     .grid = detail::kPrecisionBf16Grid,
     .by_hand = detail::kPrecisionBf16ByHand},
    {.id = "precision.fp16",
     .short_name = "fp16",
     .risk = Risk::kRounding,
     .changes = KnobChanges::kRounding,
     .switched = KnobSwitched::kRestart,
     .acts_on = KnobActsOn::kComputing,
     .values = {.kind = KnobValueKind::kOn},
     .grid = detail::kPrecisionFp16Grid,
     .by_hand = detail::kPrecisionFp16ByHand},
    {.id = "layout.channels_last",
     .short_name = "channels_last",
     .risk = Risk::kRounding,
     .changes = KnobChanges::kRounding,
     .switched = KnobSwitched::kLive,
     .acts_on = KnobActsOn::kComputing,
     .values = {.kind = KnobValueKind::kOn},
     .grid = detail::kLayoutChannelsLastGrid,
     .by_hand = detail::kLayoutChannelsLastByHand},
    {.id = "compile.mode",
     .short_name = "compile.mode",
     .risk = Risk::kRounding,
     .changes = KnobChanges::kRounding,
     .switched = KnobSwitched::kLive,
     .acts_on = KnobActsOn::kComputing,
     .cost = 4,
     .compiles = true,
     .values = {.kind = KnobValueKind::kWord, .words = detail::kCompileModeWords},
     .grid = detail::kCompileModeGrid,
     .by_hand = detail::kCompileModeByHand},
    {.id = "alloc.expandable_segments",
     .short_name = "expandable_segments",
     .risk = Risk::kSameMaths,
     .changes = KnobChanges::kNothing,
     .switched = KnobSwitched::kRestart,
     .values = {.kind = KnobValueKind::kSwitch},
     .grid = detail::kAllocExpandableSegmentsGrid,
     .variables = {.names = detail::kAllocExpandableSegmentsVariables, .text = "expandable_segments:{}", .beside = true},
     .by_hand = detail::kAllocExpandableSegmentsByHand},
    {.id = "dataloader.non_blocking",
     .short_name = "non_blocking",
     .risk = Risk::kSameMaths,
     .changes = KnobChanges::kNothing,
     .switched = KnobSwitched::kLive,
     .acts_on = KnobActsOn::kLoading,
     .values = {.kind = KnobValueKind::kOn},
     .grid = detail::kDataloaderNonBlockingGrid,
     .required_knobs = detail::kDataloaderNonBlockingRequires,
     .by_hand = detail::kDataloaderNonBlockingByHand},
    {.id = "attention.sdpa",
     .short_name = "sdpa",
     .risk = Risk::kRounding,
     .changes = KnobChanges::kRounding,
     .switched = KnobSwitched::kLive,
     .acts_on = KnobActsOn::kComputing,
     .values = {.kind = KnobValueKind::kOn},
     .grid = detail::kAttentionSdpaGrid,
     .by_hand = detail::kAttentionSdpaByHand},
    {.id = "kernels.liger",
     .short_name = "liger",
     .risk = Risk::kRounding,
     .changes = KnobChanges::kRounding,
     .switched = KnobSwitched::kRestart,
     .acts_on = KnobActsOn::kComputing,
     .values = {.kind = KnobValueKind::kOn},
     .grid = detail::kKernelsLigerGrid,
     .by_hand = detail::kKernelsLigerByHand},
    {.id = "kernels.hf",
     .short_name = "kernels.hf",
     .risk = Risk::kRounding,
     .changes = KnobChanges::kRounding,
     .switched = KnobSwitched::kLive,
     .acts_on = KnobActsOn::kComputing,
     .values = {.kind = KnobValueKind::kOn},
     .grid = detail::kKernelsHfGrid,
     .by_hand = detail::kKernelsHfByHand},
    {.id = "batch.size",
     .short_name = "size",
     .risk = Risk::kChangesTraining,
     .changes = KnobChanges::kTraining,
     .switched = KnobSwitched::kRestart,
     .counts = KnobCounts::kSamples,
     .values = {.kind = KnobValueKind::kCount, .least = 1, .most = 16777216},
     .grid = detail::kBatchSizeGrid,
     .by_hand = detail::kBatchSizeByHand,
     .edit = {.at = KnobBuilt::kLoader, .keyword = "batch_size", .position = 1}},
    {.id = "batch.accumulate",
     .short_name = "accumulate",
     .risk = Risk::kChangesTraining,
     .changes = KnobChanges::kTraining,
     .switched = KnobSwitched::kRestart,
     .values = {.kind = KnobValueKind::kParts, .least = 1, .most = 65536},
     .grid = detail::kBatchAccumulateGrid,
     .by_hand = detail::kBatchAccumulateByHand},
};

// null = flatout has no such knob.
constexpr const KnobFacts* knob_facts(std::string_view id) {
  for (const KnobFacts& facts : kKnobTable) {
    if (facts.id == id) return &facts;
  }
  return nullptr;
}

}  // namespace flatout::run
