// Pages that a device reads by itself: they must not move, and the driver must know them.
#pragma once

#include <cstddef>

#include "base/result.h"

namespace flatout::data {

// Any thread.
class PagePin {
 public:
  virtual ~PagePin() = default;
  // `at` begins a page. Error where the system or the driver refuses.
  virtual base::Result<void> pin(void* at, std::size_t bytes) = 0;
  // Before the pages go back to the system. Nothing reads them any more.
  virtual void unpin(void* at) noexcept = 0;
};

}  // namespace flatout::data
