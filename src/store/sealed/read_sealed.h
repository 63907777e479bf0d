// run.sqlite to what run_reader.h gives. Internal to store/.
#pragma once

#include <filesystem>

#include "base/result.h"
#include "store/disk.h"
#include "store/run_reader.h"

namespace flatout::store {

// As read_run and read_summary, of a sealed run. kNotFound: it is not sealed.
base::Result<run::Timeline> read_sealed_run(const std::filesystem::path& folder,
                                            const Viewpoint& from, ReadLimits limits);
base::Result<RunSummary> read_sealed_summary(const std::filesystem::path& folder);

// The same from an open file, which the Timeline then keeps open. `id` where it reports none.
class SealedReader;
run::Timeline sealed_timeline(SealedReader opened, const std::string& id, const std::string& name,
                              ReadLimits limits);

}  // namespace flatout::store
