#include "data/abi/loader_handle.h"

#include <pthread.h>

#include <unordered_map>

namespace flatout::data::abi {
namespace {

struct Table {
  std::mutex mutex;
  std::uintptr_t last = 0;
  std::unordered_map<std::uintptr_t, std::shared_ptr<LoaderHandle>> open;
};

// Never destroyed: threads that outlive main() may still call.
Table& table() {
  static Table& only = *new Table;
  return only;
}

// The child of a fork() gets the table unlocked, whatever other threads were at.
__attribute__((constructor)) void look_after_forks() {
  ::pthread_atfork([] { table().mutex.lock(); }, [] { table().mutex.unlock(); },
                   [] { table().mutex.unlock(); });
}

std::uintptr_t number_of(const flatout_loader* handle) {
  return reinterpret_cast<std::uintptr_t>(handle);
}

}  // namespace

flatout_loader* enter_loader(std::shared_ptr<LoaderHandle> loader) {
  Table& all = table();
  const std::scoped_lock lock(all.mutex);
  all.open.emplace(++all.last, std::move(loader));
  return reinterpret_cast<flatout_loader*>(all.last);  // NOLINT(performance-no-int-to-ptr)
}

std::shared_ptr<LoaderHandle> find_loader(const flatout_loader* handle) {
  Table& all = table();
  const std::scoped_lock lock(all.mutex);
  const auto found = all.open.find(number_of(handle));
  return found == all.open.end() ? nullptr : found->second;
}

std::shared_ptr<LoaderHandle> leave_loader(const flatout_loader* handle) {
  Table& all = table();
  const std::scoped_lock lock(all.mutex);
  auto found = all.open.extract(number_of(handle));
  return found.empty() ? nullptr : std::move(found.mapped());
}

void close_loader(LoaderHandle& loader) {
  std::unique_lock turn(loader.calls, std::defer_lock);
  if (loader.here()) {
    {
      const std::scoped_lock lock(loader.waking);
      loader.closed = true;
      if (loader.waiting != nullptr) loader.waiting->interrupt();
    }
    turn.lock();
  }
  if (loader.open != nullptr) loader.open->closing();
  loader.open.reset();
}

int not_open(const flatout_loader* handle, const char* function) {
  if (handle == nullptr) return failed(std::string(function) + ": no loader");
  failed(std::string(function) + ": the loader is closed; open another one");
  return FLATOUT_CLOSED;
}

}  // namespace flatout::data::abi
