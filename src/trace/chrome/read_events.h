// Reads a trace in Chrome's format: an object with "traceEvents", or the array alone.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "trace/byte_source.h"
#include "trace/chrome/event.h"

namespace flatout::trace {

struct ChromeEnd {
  std::uint64_t events = 0;  // that were read
  std::uint64_t bytes = 0;   // of the uncompressed text
  // Why not all of the file was read, "" = it was.
  std::string problem;
};

// kInvalid where it is no such trace, naming the byte. A trace that is cut short, or damaged after
// its first event, gives what came before.
base::Result<ChromeEnd> read_chrome(ByteSource& source, ChromeSink& sink);

}  // namespace flatout::trace
