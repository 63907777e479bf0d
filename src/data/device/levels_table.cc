#include "data/device/levels_table.h"

#include <array>

namespace flatout::data::device {

using base::Result;

Result<std::unique_ptr<LevelsTable>> LevelsTable::load(std::shared_ptr<const DeviceContext> context,
                                                       const char* image,
                                                       std::span<const std::byte> table,
                                                       std::size_t number_bytes) {
  if (image == nullptr)
    return base::fail(base::ErrorCode::kUnavailable, "this build has no CUDA kernels");
  std::unique_ptr<LevelsTable> out(new LevelsTable(std::move(context), number_bytes));
  if (auto done = out->start(image, table); !done) return std::unexpected(done.error());
  return out;
}

Result<void> LevelsTable::start(const char* image, std::span<const std::byte> table) {
  const CudaFunctions& f = context_->f();
  if (auto done = context_->call(f.module_load, &module_, static_cast<const void*>(image)); !done)
    return done;
  const char* const name = number_bytes_ == 4 ? "flatout_levels_float32" : "flatout_levels_bits16";
  if (auto done = context_->call(f.kernel, &kernel_, module_, name); !done) return done;
  if (auto done = context_->call(f.allocate, &table_, table.size()); !done) return done;
  // From pageable memory the driver has read it all when the call returns; whatever stream comes
  // later finds it there once the device has come to rest.
  const auto* const from = static_cast<const void*>(table.data());
  if (auto done = context_->call(f.copy, table_, from, table.size(), CudaStream{}); !done)
    return done;
  return context_->call(f.stream_synchronize, CudaStream{});
}

LevelsTable::~LevelsTable() {
  if (!context_->here()) return;
  if (table_ != 0) (void)context_->call_code(context_->f().free, table_);
  if (module_ != nullptr) (void)context_->call_code(context_->f().module_unload, module_);
}

Result<void> LevelsTable::convert(PixelBytes shape, DeviceAddress from, DeviceAddress to,
                                  CudaStream stream) const {
  if (shape.count == 0) return {};
  DeviceAddress table = table_;
  std::array<void*, 4> arguments{&shape, &table, &from, &to};
  const unsigned blocks = (shape.count - 1) / kBytesOfBlock + 1;  // of pictures below 4 GiB
  return context_->call(context_->f().launch, kernel_, blocks, 1U, 1U, unsigned{kThreadsOfBlock},
                        1U, 1U, 0U, stream, arguments.data(), static_cast<void**>(nullptr));
}

}  // namespace flatout::data::device
