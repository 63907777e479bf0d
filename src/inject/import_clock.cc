#include "inject/import_clock.h"

#include <unistd.h>

#include "inject/emit.h"

namespace flatout::inject {
namespace {

// Of the main thread alone, so the interpreter's lock is all they need.
std::int64_t ended_ns = 0;
std::int64_t begin_ns = 0;
int depth = 0;

}  // namespace

ImportSpan::ImportSpan() : counts_(gettid() == getpid()) {
  if (counts_ && depth++ == 0) begin_ns = now_ns();
}

ImportSpan::~ImportSpan() {
  if (counts_ && --depth == 0) ended_ns += now_ns() - begin_ns;
}

std::int64_t imports_ns() { return ended_ns + (depth > 0 ? now_ns() - begin_ns : 0); }

}  // namespace flatout::inject
