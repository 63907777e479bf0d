#include "collect/nvml/driver.h"

#include <unistd.h>

#include <array>

namespace flatout::collect::nvml {
namespace {

base::Result<std::unique_ptr<Driver>> absent() {
  return base::fail(base::ErrorCode::kUnavailable, "");
}

bool exists(const char* path) { return ::access(path, F_OK) == 0; }

std::string code_text(Return code) {
  switch (code) {
    case Return::kUninitialized:
      return "the library is not initialised";
    case Return::kInvalidArgument:
      return "it refuses the question";
    case Return::kTimeout:
      return "it timed out";
    case Return::kGpuIsLost:
      return "the GPU has fallen off the bus";
    case Return::kResetRequired:
      return "the GPU needs a reset";
    case Return::kOperatingSystem:
      return "the operating system or a cgroup keeps the device from us";
    case Return::kVersionMismatch:
      return "driver and library are of different versions; reboot, or reload the driver";
    case Return::kNoData:
    case Return::kNotFound:
      return "it has no data";
    case Return::kNotReady:
      return "it is not ready";
    default:
      return "error " + std::to_string(static_cast<int>(code));
  }
}

}  // namespace

std::string reason(Return code, const char* call) {
  switch (code) {
    case Return::kSuccess:
      return "";
    case Return::kNotSupported:
      return "the driver does not give it for this device";
    case Return::kFunctionNotFound:
      return std::string("this driver has no ") + call + "; a newer one may";
    case Return::kNoPermission:
      return std::string("the driver does not let this user call ") + call;
    case Return::kDeprecated:
      return std::string("this driver no longer answers ") + call;
    default:
      return std::string(call) + ": " + code_text(code);
  }
}

base::Result<std::unique_ptr<Driver>> Driver::open(const std::string& path,
                                                   std::shared_ptr<CallName> call_name) {
  const char* file = path.empty() ? kLibrary : path.c_str();
  call_name->store("dlopen", std::memory_order_relaxed);
  void* library = ::dlopen(file, RTLD_NOW | RTLD_LOCAL);
  call_name->store(nullptr, std::memory_order_relaxed);
  if (library == nullptr) {
    const char* error = ::dlerror();
    if (!path.empty()) {
      return base::fail(base::ErrorCode::kUnavailable,
                        "FLATOUT_NVML_LIBRARY: " + std::string(error != nullptr ? error : file));
    }
    if (!exists("/proc/driver/nvidia/version") && !exists("/dev/nvidiactl")) return absent();
    return base::fail(
        base::ErrorCode::kUnavailable,
        std::string("an NVIDIA driver is loaded, but ") + kLibrary +
            " is not found; in a container, start it with NVIDIA_DRIVER_CAPABILITIES=utility");
  }
  std::unique_ptr<Driver> driver(new Driver(library, std::move(call_name)));
  if (auto done = driver->initialise(); !done) return std::unexpected(done.error());
  return driver;
}

base::Result<void> Driver::initialise() {
  const Return code = call(f.init);
  if (code == Return::kDriverNotLoaded || code == Return::kGpuNotFound ||
      code == Return::kLibraryNotFound) {
    return base::fail(base::ErrorCode::kUnavailable, "");
  }
  if (code != Return::kSuccess) {
    return base::fail(base::ErrorCode::kUnavailable, reason(code, last_call_));
  }
  initialised_ = true;
  std::array<char, kTextBytes> text{};
  if (call(f.driver_version, text.data(), kTextBytes - 1) == Return::kSuccess) {
    version = text.data();
  }
  return {};
}

Driver::~Driver() {
  if (initialised_) (void)call(f.shutdown);
}

}  // namespace flatout::collect::nvml
