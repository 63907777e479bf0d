#include "data/device/cuda_driver.h"

#include <cstdlib>

namespace flatout::data::device {

using base::ErrorCode;
using base::Result;

Result<std::shared_ptr<const CudaDriver>> CudaDriver::open(const std::string& path) {
  const char* const named = std::getenv("FLATOUT_CUDA_LIBRARY");
  std::string file = path;
  if (file.empty()) file = named != nullptr && *named != '\0' ? named : kCudaLibrary;
  void* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const why = ::dlerror();
    return base::fail(ErrorCode::kUnavailable,
                      "the CUDA driver's library could not be opened (" +
                          std::string(why != nullptr ? why : file.c_str()) +
                          "); install NVIDIA's driver, or let the container see the GPU "
                          "(--gpus all, NVIDIA_DRIVER_CAPABILITIES=compute,utility)");
  }
  std::shared_ptr<const CudaDriver> driver(new CudaDriver(library));
  if (!driver->f.missing.empty()) {
    return base::fail(ErrorCode::kUnavailable, "the CUDA driver (" + file + ") has no " +
                                                   driver->f.missing +
                                                   "; one of CUDA 11 or later has");
  }
  if (auto done = driver->call(driver->f.init, 0U); !done) {
    return base::fail(ErrorCode::kUnavailable,
                      "the CUDA driver does not start: " + done.error().message +
                          "; nvidia-smi and CUDA_VISIBLE_DEVICES tell which devices there are");
  }
  return driver;
}

std::string CudaDriver::reason(CudaCode code, const char* name) const {
  const char* word = nullptr;
  const char* text = nullptr;
  (void)f.error_name.pointer(code, &word);
  (void)f.error_text.pointer(code, &text);
  std::string out = std::string(name) + ": ";
  out += word != nullptr ? word : "error " + std::to_string(static_cast<int>(code));
  if (text != nullptr) out += " (" + std::string(text) + ")";
  return out;
}

}  // namespace flatout::data::device
