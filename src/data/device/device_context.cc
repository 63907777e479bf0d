#include "data/device/device_context.h"

#include <unistd.h>

#include <array>
#include <charconv>
#include <optional>

namespace flatout::data::device {

using base::ErrorCode;
using base::Result;

namespace {

constexpr std::string_view kCuda = "cuda";

// -1: "cuda" alone. Absent: no such name.
std::optional<int> ordinal_in(std::string_view name) {
  if (!name.starts_with(kCuda)) return std::nullopt;
  name.remove_prefix(kCuda.size());
  if (name.empty()) return -1;
  if (name.front() != ':') return std::nullopt;
  name.remove_prefix(1);
  int number = -1;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  const bool whole = error == std::errc() && end == name.data() + name.size();
  return whole && number >= 0 ? std::optional(number) : std::nullopt;
}

int current_ordinal(const CudaDriver& driver) {
  int device = 0;
  return driver.f.current_device.pointer(&device) == CudaCode::kSuccess ? device : 0;
}

std::string no_such_device(int ordinal, int count) {
  const std::string name = "cuda:" + std::to_string(ordinal);
  if (count == 0) return name + ": the driver shows no device; look at CUDA_VISIBLE_DEVICES";
  return name + ": the driver shows " + std::to_string(count) +
         " device(s), the last is cuda:" + std::to_string(count - 1) +
         "; look at CUDA_VISIBLE_DEVICES";
}

}  // namespace

Result<std::shared_ptr<const DeviceContext>> DeviceContext::open(std::string_view name,
                                                                 const std::string& library) {
  const auto asked = ordinal_in(name);
  if (!asked) {
    return base::fail(ErrorCode::kInvalid, "\"" + std::string(name) +
                                               "\" is no device that batches can go to: \"cpu\", "
                                               "\"cuda\" or a number of one, as \"cuda:1\"");
  }
  auto opened = CudaDriver::open(library);
  if (!opened)
    return base::fail(opened.error().code, std::string(name) + ": " + opened.error().message);
  const CudaDriver& driver = **opened;
  const int ordinal = *asked < 0 ? current_ordinal(driver) : *asked;
  int count = 0;
  if (auto done = driver.call(driver.f.device_count, &count); !done)
    return std::unexpected(done.error());
  if (ordinal >= count) return base::fail(ErrorCode::kUnavailable, no_such_device(ordinal, count));
  int device = 0;
  CudaContext context = nullptr;
  auto done = driver.call(driver.f.device, &device, ordinal);
  if (done) done = driver.call(driver.f.retain, &context, device);
  if (!done) {
    return base::fail(ErrorCode::kUnavailable,
                      "cuda:" + std::to_string(ordinal) + ": " + done.error().message +
                          "; nvidia-smi shows who uses the device, and in which mode it is");
  }
  return std::shared_ptr<const DeviceContext>(
      new DeviceContext(std::move(*opened), ordinal, context));
}

// A device's handle is its number.
DeviceContext::DeviceContext(std::shared_ptr<const CudaDriver> driver, int device,
                             CudaContext context)
    : driver_(std::move(driver)), ordinal_(device), context_(context), owner_(::getpid()) {
  std::array<char, 256> text{};
  if (f().device_name.pointer(text.data(), static_cast<int>(text.size()) - 1, device) ==
      CudaCode::kSuccess)
    gpu_ = text.data();
}

DeviceContext::~DeviceContext() {
  if (here()) (void)f().release.pointer(ordinal_);
}

bool DeviceContext::here() const { return owner_ == ::getpid(); }

Result<void> CudaPagePin::pin(void* at, std::size_t bytes) {
  auto done = context_->call(context_->f().pin, at, bytes, kHostRegisterPortable);
  if (done) return done;
  return base::fail(ErrorCode::kUnavailable, "memory for a batch of " + std::to_string(bytes) +
                                                 " bytes could not be pinned for " +
                                                 done.error().message +
                                                 "; make the batch smaller, or fewer ahead");
}

void CudaPagePin::unpin(void* at) noexcept {
  if (context_->here()) (void)context_->call_code(context_->f().unpin, at);
}

}  // namespace flatout::data::device
