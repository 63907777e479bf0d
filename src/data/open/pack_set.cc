#include "data/open/pack_set.h"

#include "data/open/open_source.h"
#include "data/open/this_machine.h"

namespace flatout::data {

base::Result<PackReport> pack_set(spec::PackSpec spec, const OnPackProgress& on_progress) {
  if (spec.options.threads == 0) spec.options.threads = this_machine().cores;
  const auto opened = open_source(spec.from, nullptr, spec.options.threads);
  if (!opened) return std::unexpected(opened.error());
  return pack(*opened->source, opened->classes, spec.to, spec.options, on_progress);
}

}  // namespace flatout::data
