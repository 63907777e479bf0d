#include "driver/image.h"

#include <elf.h>

#include <cstring>

namespace simgpu::driver {
namespace {

constexpr std::uint32_t kFatBinary = 0xBA55ED50;
constexpr std::uint32_t kFatBinaryWrapper = 0x466243B1;

}  // namespace

CUresult read_image(const void* data, Image& into) {
  std::uint32_t magic = 0;
  const auto* const bytes = static_cast<const char*>(data);
  if (bytes[0] != '\0') {  // else even four bytes may be more than there are
    std::memcpy(&magic, data, std::strlen(bytes) >= sizeof(magic) ? sizeof(magic) : 1);
  }
  if (std::memcmp(&magic, ELFMAG, SELFMAG) == 0) {
    return read_cubin(data, into);
  }
  if (magic == kFatBinary || magic == kFatBinaryWrapper) {
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  return read_ptx(bytes, into);
}

bool runs_on(const Image& image, int major, int minor) {
  const int device = major * 10 + minor;
  if (image.is_ptx) {
    return image.architecture <= device;
  }
  return image.architecture / 10 == major && image.architecture <= device;
}

}  // namespace simgpu::driver
