// Around the body of every entry point: counts the call and its host time, gives it a correlation
// number, shows it to the observer.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/observer.h"

namespace simgpu {

namespace truth {
struct CallRow;
}

// One a function, for the life of the process. Counted without a lock.
struct ApiEntry {
  // `shown`: the observer's name for it, where that is another one.
  explicit ApiEntry(const char* name, ApiDomain domain = ApiDomain::kRuntime,
                    const char* shown = nullptr);
  const char* name;
  const char* shown;
  ApiDomain domain;
  truth::CallRow* row;
  std::atomic<std::uint64_t>* calls;  // in the truth's file where one is written
  std::atomic<std::uint64_t>*
      host_ns;  // of the outermost calls alone: a library's call is not counted twice
};

class ApiScope {
 public:
  explicit ApiScope(ApiEntry& entry, const void* parameters = nullptr,
                    const char* symbol = nullptr);
  ~ApiScope();
  ApiScope(const ApiScope&) = delete;
  ApiScope& operator=(const ApiScope&) = delete;

  template <typename Status>
  Status ends(Status status) {
    call_.result = static_cast<int>(status);
    return status;
  }

 private:
  ApiEntry& entry_;
  ApiCall call_;
  bool outermost_;
  bool shown_;
};

// Of the runtime or driver call that is open on this thread, the outermost one: what it calls
// itself has no number of its own, as CUPTI correlates a runtime call with the driver calls it
// makes. 0 outside of all.
std::uint32_t current_correlation();

}  // namespace simgpu

// First line of an entry point.
#define SIMGPU_API(function)                        \
  static simgpu::ApiEntry simgpu_entry_(#function); \
  simgpu::ApiScope simgpu_scope_(simgpu_entry_)
#define SIMGPU_DRIVER_API(function)                                             \
  static simgpu::ApiEntry simgpu_entry_(#function, simgpu::ApiDomain::kDriver); \
  simgpu::ApiScope simgpu_scope_(simgpu_entry_)
#define SIMGPU_LIBRARY_API(function)                                             \
  static simgpu::ApiEntry simgpu_entry_(#function, simgpu::ApiDomain::kLibrary); \
  simgpu::ApiScope simgpu_scope_(simgpu_entry_)

// Likewise for a call whose parameters CUPTI's callbacks show: `structure` is NVIDIA's, named in
// generated_cuda_runtime_api_meta.h or generated_cuda_meta.h.
#define SIMGPU_API_WITH(function, structure, ...)     \
  static simgpu::ApiEntry simgpu_entry_(#function);   \
  const structure simgpu_parameters_ = {__VA_ARGS__}; \
  simgpu::ApiScope simgpu_scope_(simgpu_entry_, &simgpu_parameters_)
