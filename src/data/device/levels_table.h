// Bytes to numbers on a device: the kernel, and the table that it looks them up in.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "base/result.h"
#include "data/device/device_context.h"
#include "data/device/levels_kernel.h"

namespace flatout::data::device {

// One thread.
class LevelsTable {
 public:
  // `image`: PTX of levels_kernel.cu. `table`: of each channel 256 numbers of `number_bytes`, 4 or
  // 2. kUnavailable, with the reason, where the driver does not take the image.
  static base::Result<std::unique_ptr<LevelsTable>> load(
      std::shared_ptr<const DeviceContext> context, const char* image,
      std::span<const std::byte> table, std::size_t number_bytes);
  ~LevelsTable();
  LevelsTable(const LevelsTable&) = delete;
  LevelsTable& operator=(const LevelsTable&) = delete;

  std::size_t number_bytes() const { return number_bytes_; }

  // Puts the conversion of shape.count bytes at `from` into `stream`.
  base::Result<void> convert(PixelBytes shape, DeviceAddress from, DeviceAddress to,
                             CudaStream stream) const;

 private:
  LevelsTable(std::shared_ptr<const DeviceContext> context, std::size_t number_bytes)
      : context_(std::move(context)), number_bytes_(number_bytes) {}
  base::Result<void> start(const char* image, std::span<const std::byte> table);

  std::shared_ptr<const DeviceContext> context_;
  std::size_t number_bytes_;
  CudaModule module_ = nullptr;
  CudaKernel kernel_ = nullptr;
  DeviceAddress table_ = 0;
};

}  // namespace flatout::data::device
