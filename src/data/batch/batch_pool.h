// The memory of batches: each taken for one batch, written once, and given back by the last who
// holds it.
#pragma once

#include <cstddef>
#include <memory>

#include "base/result.h"
#include "data/batch/page_pin.h"

namespace flatout::data {

// Any thread may take, and any may let go, also after the pool itself is gone.
class BatchPool {
 public:
  // Batches of `bytes` each. `keep`: how many that were given back stay for the next; more go back
  // to the system. `pin`: locks each one in memory for a device, for as long as it is here; a child
  // of fork() then has none of them. Null: nothing does.
  BatchPool(std::size_t bytes, std::size_t keep, std::shared_ptr<PagePin> pin = nullptr);

  // Memory at a page's start. Its content is what an earlier batch left. Error where the system has
  // none, or where it cannot be pinned.
  base::Result<std::shared_ptr<std::byte>> take();

  // Keeps so many from now on; what is kept beyond goes back to the system.
  void set_keep(std::size_t keep);

  std::size_t bytes() const;

 private:
  struct Pages;
  std::shared_ptr<Pages> pages_;
};

}  // namespace flatout::data
