// The source that a loader's description names.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "data/source/source.h"
#include "data/spec/loader_spec.h"

namespace flatout::data {

struct OpenSource {
  std::vector<std::string> classes;
  std::unique_ptr<Source> source;
};

// What the spec names, or `given`; kInvalid where that is nothing, or more than one. `cores`:
// threads that unpack, where the spec has no number of threads.
base::Result<OpenSource> open_source(const spec::LoaderSpec& spec, std::unique_ptr<Source> given,
                                     int cores);

}  // namespace flatout::data
