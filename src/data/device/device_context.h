// One CUDA device, in the context that the program's own framework uses as well.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "data/batch/page_pin.h"
#include "data/device/cuda_driver.h"

namespace flatout::data::device {

// Any thread. Holds the device's primary context, and gives it back when it is destroyed. A child
// of fork() has no such context: there nothing may be called, see here().
class DeviceContext {
 public:
  // "cuda:1", or "cuda": the device that is current on this thread, else the first. kInvalid where
  // the name is none, kUnavailable where there is no such device.
  static base::Result<std::shared_ptr<const DeviceContext>> open(std::string_view name,
                                                                 const std::string& library = "");
  ~DeviceContext();
  DeviceContext(const DeviceContext&) = delete;
  DeviceContext& operator=(const DeviceContext&) = delete;

  const CudaFunctions& f() const { return driver_->f; }
  int ordinal() const { return ordinal_; }
  const std::string& gpu() const { return gpu_; }  // "NVIDIA H200"; "" where it is not told
  std::string name() const { return "cuda:" + std::to_string(ordinal_); }
  bool here() const;

  // Calls the driver in this context, and leaves the thread's own one as it was. Errors name the
  // device.
  template <typename... Params, typename... Args>
  base::Result<void> call(const CudaFunction<Params...>& function, Args... args) const {
    const CudaCode code = call_code(function, args...);
    if (code == CudaCode::kSuccess) return {};
    return base::fail(base::ErrorCode::kUnavailable,
                      name() + ": " + driver_->reason(code, function.name));
  }
  template <typename... Params, typename... Args>
  CudaCode call_code(const CudaFunction<Params...>& function, Args... args) const {
    if (const CudaCode pushed = f().push.pointer(context_); pushed != CudaCode::kSuccess)
      return pushed;
    const CudaCode code = function.pointer(args...);
    CudaContext popped = nullptr;
    (void)f().pop.pointer(&popped);
    return code;
  }

 private:
  DeviceContext(std::shared_ptr<const CudaDriver> driver, int device, CudaContext context);

  std::shared_ptr<const CudaDriver> driver_;
  int ordinal_;
  CudaContext context_;
  std::string gpu_;
  pid_t owner_;
};

// Locks pages in memory, so that the device reads them by itself.
class CudaPagePin final : public PagePin {
 public:
  explicit CudaPagePin(std::shared_ptr<const DeviceContext> context)
      : context_(std::move(context)) {}
  base::Result<void> pin(void* at, std::size_t bytes) override;
  void unpin(void* at) noexcept override;

 private:
  std::shared_ptr<const DeviceContext> context_;
};

}  // namespace flatout::data::device
