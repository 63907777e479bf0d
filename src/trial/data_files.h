// What trials find of their data in memory: where the set is larger than memory, a trial that
// reads what an earlier one has read would find it in the page cache, and training would not.
// Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "analyse/analyse.h"
#include "apply/trial.h"
#include "trial/file_cache.h"
#include "trial/reads.h"

namespace flatout::trial {

// Of the whole set, from what one trial read of it: where about each sample is a file, the mean
// file times the set's samples; else the files themselves. nullopt where none was read.
std::optional<std::uint64_t> set_bytes(const TrialReads& reads, const analyse::Analysis& analysis);

// What a trial's recorder says of them, "cold 42 123456 7890" (files, set, room; "-" = not
// known), and back. nullopt for any other text.
std::string data_files_text(const apply::DataFiles& files);
std::optional<apply::DataFiles> parse_data_files(std::string_view text);

// Puts what a recorder said into `trial`. What an automatic `cache` was decided to be by the first
// trial holds for all: pairs must find the same.
void take_files(std::string_view said, apply::TrialResult& trial, FileCache& cache);

}  // namespace flatout::trial
