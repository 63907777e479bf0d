// How fast the loading engine makes the samples of a run, measured for a second on some of its
// files. In a process of its own, so that neither a file system that hangs nor a file that breaks
// the decoder costs more than that process.
#pragma once

#include <string>

#include "app/data_library.h"
#include "base/result.h"
#include "base/time.h"
#include "run/engine_speed.h"

namespace flatout::app {

// {"spec":{…},"files":["/abs/1.jpg",…],"places":[[0,128,9000],…],"size":[224,224]}: as
// run::facts::kLoaderFiles has them; without a spec, pictures are cropped at random to `size`.
using EngineJob = std::string;

constexpr base::DurationNs kEngineBench = base::kSecond;  // from opening, its first samples too
constexpr base::DurationNs kEnginePatience = 3 * base::kSecond;  // for a batch that is late

// kNotFound where the files are gone, kUnavailable where they are on a file system whose speed one
// second does not show; else as the library says. One clause.
base::Result<run::EngineSpeed> bench_engine(const DataLibrary& library, const EngineJob& job,
                                            const base::Clock& clock);

}  // namespace flatout::app
