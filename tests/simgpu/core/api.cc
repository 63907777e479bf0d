#include "core/api.h"

#include "core/injection.h"
#include "core/truth.h"

namespace simgpu {
namespace {

struct OpenCalls {  // of a thread
  int all = 0;
  int runtime = 0, driver = 0;
  std::uint32_t correlation = 0;
};
thread_local OpenCalls open_calls;
std::atomic<std::uint32_t> correlations{0};

int& depth_of(ApiDomain domain) {
  return domain == ApiDomain::kDriver ? open_calls.driver : open_calls.runtime;
}

}  // namespace

ApiEntry::ApiEntry(const char* its_name, ApiDomain its_domain, const char* its_shown)
    : name(its_name), shown(its_shown != nullptr ? its_shown : its_name), domain(its_domain) {
  row = truth::call_row(its_name);
  calls = &row->calls;
  host_ns = &row->host_ns;
}

ApiScope::ApiScope(ApiEntry& entry, const void* parameters, const char* symbol)
    : entry_(entry), shown_(false) {
  if (entry.domain != ApiDomain::kLibrary) {
    inject_before(entry.name);  // may call CUDA itself, before this call has begun
  }
  outermost_ = open_calls.all++ == 0;
  if (entry.domain != ApiDomain::kLibrary) {
    if (open_calls.runtime + open_calls.driver == 0) {
      open_calls.correlation = ++correlations;
    }
    shown_ = depth_of(entry.domain)++ == 0;
  }
  call_ = {.name = entry.shown,
           .domain = entry.domain,
           .correlation = open_calls.correlation,
           .start = now(),
           .end = 0,
           .parameters = parameters,
           .symbol = symbol,
           .result = 0,
           .kept = 0};
  if (Observer* const looking = shown_ ? observer() : nullptr) {
    looking->entered(call_);
  }
}

ApiScope::~ApiScope() {
  call_.end = now();
  entry_.calls->fetch_add(1, std::memory_order_relaxed);
  if (outermost_) {
    entry_.host_ns->fetch_add(static_cast<std::uint64_t>(call_.end - call_.start),
                              std::memory_order_relaxed);
  }
  if (Observer* const looking = shown_ ? observer() : nullptr) {
    looking->left(call_);
  }
  --open_calls.all;
  if (entry_.domain != ApiDomain::kLibrary) {
    --depth_of(entry_.domain);
    if (open_calls.runtime + open_calls.driver == 0) {
      truth::write_span(entry_.row, call_.start, call_.end, call_.correlation);
      open_calls.correlation = 0;
    }
  }
}

std::uint32_t current_correlation() { return open_calls.correlation; }

}  // namespace simgpu
