// Times the batch that the calling thread fetches from a dataset, and the
// stages (readers, transforms, collate) inside it. Stage time is exclusive: a
// reader called by a transform takes its time away from the transform. One
// record a batch; figures of single samples are added up here. With the GIL.
#pragma once

#include <cstdint>

namespace flatout::inject {

// Opens a batch. Returns false (and does nothing) when one is open already on
// this thread or nothing is recorded; then do not call end_batch.
bool begin_batch(std::uint32_t iterator, std::uint32_t samples);
void end_batch(std::uint64_t batch_bytes);  // of its tensors; 0 = not known
bool in_batch();

// An id for a stage name, the same for the same name; 0 when the table is full.
std::uint32_t stage_id(const char* name, std::uint32_t name_bytes);

// Only inside a batch. Stages nest; deeper than 32 is not recorded.
bool begin_stage(std::uint32_t stage);
void end_stage();

// Reserved stage: collate has a field of its own in the record.
constexpr std::uint32_t kCollateStage = 0xffffffffU;

}  // namespace flatout::inject
