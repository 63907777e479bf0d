// Generated from schema/knobs.toml by tools/gen_knobs.py. Do not edit.
// clang-format off
#pragma once

namespace flatout::apply {

struct Knob;

// One a file of this folder.
const Knob& dataloader_engine();
const Knob& dataloader_cache();
const Knob& dataloader_num_workers();
const Knob& dataloader_prefetch_factor();
const Knob& dataloader_persistent_workers();
const Knob& dataloader_pin_memory();
const Knob& env_intraop_threads();
const Knob& cuda_cudnn_benchmark();
const Knob& precision_tf32();
const Knob& optimizer_fused();
const Knob& precision_bf16();
const Knob& precision_fp16();
const Knob& layout_channels_last();
const Knob& compile_mode();
const Knob& alloc_expandable_segments();
const Knob& dataloader_non_blocking();
const Knob& attention_sdpa();
const Knob& kernels_liger();
const Knob& kernels_hf();
const Knob& batch_size();
const Knob& batch_accumulate();

// In the order in which they are listed to users.
inline constexpr const Knob& (*kKnobFunctions[])() = {
    &dataloader_engine,
    &dataloader_cache,
    &dataloader_num_workers,
    &dataloader_prefetch_factor,
    &dataloader_persistent_workers,
    &dataloader_pin_memory,
    &env_intraop_threads,
    &cuda_cudnn_benchmark,
    &precision_tf32,
    &optimizer_fused,
    &precision_bf16,
    &precision_fp16,
    &layout_channels_last,
    &compile_mode,
    &alloc_expandable_segments,
    &dataloader_non_blocking,
    &attention_sdpa,
    &kernels_liger,
    &kernels_hf,
    &batch_size,
    &batch_accumulate,
};

}  // namespace flatout::apply
