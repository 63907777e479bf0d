#include "core/api.h"

#include "core/process.h"
#include "core/truth.h"

namespace simgpu {
namespace {

thread_local int depth = 0;
thread_local std::uint32_t correlation = 0;
std::atomic<std::uint32_t> correlations{0};

}  // namespace

ApiEntry::ApiEntry(const char* its_name, ApiDomain its_domain)
    : name(its_name), domain(its_domain) {
  truth::CallRow* const row = truth::call_row(its_name);
  calls = &row->calls;
  host_ns = &row->host_ns;
}

ApiScope::ApiScope(ApiEntry& entry, const void* parameters)
    : entry_(entry), outermost_(depth++ == 0) {
  if (entry.domain != ApiDomain::kLibrary || outermost_) {
    correlation = ++correlations;
  }
  call_ = {.name = entry.name,
           .domain = entry.domain,
           .correlation = correlation,
           .start = now(),
           .end = 0,
           .parameters = parameters,
           .result = 0};
  if (observer() != nullptr && entry.domain != ApiDomain::kLibrary) {
    const Locked guard(process().lock);
    if (Observer* const looking = observer()) {
      looking->entered(call_);
    }
  }
}

ApiScope::~ApiScope() {
  call_.end = now();
  entry_.calls->fetch_add(1, std::memory_order_relaxed);
  if (outermost_) {
    entry_.host_ns->fetch_add(static_cast<std::uint64_t>(call_.end - call_.start),
                              std::memory_order_relaxed);
  }
  if (observer() != nullptr && entry_.domain != ApiDomain::kLibrary) {
    const Locked guard(process().lock);
    if (Observer* const looking = observer()) {
      looking->left(call_);
    }
  }
  if (--depth == 0) {
    correlation = 0;
  }
}

std::uint32_t current_correlation() { return correlation; }

}  // namespace simgpu
