// What a loader's handle of flatout/data.h stands for, and how a call gets from one to the other.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "data/abi/guarded.h"
#include "data/open/open_loader.h"

namespace flatout::data::abi {

// One open loader. A call holds `calls`; close() wakes the one that waits, then takes its turn.
struct LoaderHandle {
  std::unique_ptr<OpenLoader> open;  // null once it was closed
  std::string stats = {};
  std::string name = {};
  std::mutex calls = {};
  std::mutex waking = {};     // of the two below; never held while something is waited for
  Engine* waiting = nullptr;  // that a call of next() may be waiting in
  bool closed = false;
  const pid_t owner = ::getpid();  // read without a lock, unlike what `open` has

  // A child of fork() has one thread, and locks that others of its parent may have held.
  bool here() const { return owner == ::getpid(); }
};

// A handle is a number that is given once in a process and points to nothing: what is called with
// one after close() finds no loader, and never the memory of a later one.
flatout_loader* enter_loader(std::shared_ptr<LoaderHandle> loader);
// null: not open.
std::shared_ptr<LoaderHandle> find_loader(const flatout_loader* handle);
// Likewise; no longer found.
std::shared_ptr<LoaderHandle> leave_loader(const flatout_loader* handle);

// Ends its threads. A call that waits in another thread ends with FLATOUT_CLOSED.
void close_loader(LoaderHandle& loader);

// FLATOUT_INVALID for NULL, else FLATOUT_CLOSED; with the reason, which names `function`.
int not_open(const flatout_loader* handle, const char* function);

// call(LoaderHandle&), which returns a status, while no other call uses the loader.
template <typename Call>
int with_loader(const flatout_loader* handle, const char* function, Call&& call) {
  return guarded([&]() -> int {
    const auto loader = find_loader(handle);
    if (loader == nullptr) return not_open(handle, function);
    std::unique_lock turn(loader->calls, std::defer_lock);
    if (loader->here()) turn.lock();
    if (loader->open == nullptr) return not_open(handle, function);
    return std::forward<Call>(call)(*loader);
  });
}

// What call(LoaderHandle&) gives; `absent` where there is no open loader.
template <typename Value, typename Call>
Value asked_of_loader(const flatout_loader* handle, const char* function, Value absent,
                      Call&& call) {
  Value out = absent;
  const int status = with_loader(handle, function, [&](LoaderHandle& loader) {
    out = std::forward<Call>(call)(loader);
    return FLATOUT_OK;
  });
  return status == FLATOUT_OK ? out : absent;
}

// A text that call(LoaderHandle&) gives, of the loader's own: it stays where it is until the thread
// asks for another one, also where another thread closes the loader.
template <typename Call>
const char* text_of_loader(const flatout_loader* handle, const char* function, Call&& call) {
  static thread_local std::shared_ptr<LoaderHandle> asked_last;
  asked_last = find_loader(handle);
  return asked_of_loader<const char*>(handle, function, nullptr, std::forward<Call>(call));
}

// Around call(LoaderHandle&), which waits for a batch: close_loader() can wake it meanwhile.
template <typename Call>
int wakeable(LoaderHandle& loader, Call&& call) {
  struct Waiting {
    LoaderHandle& of;
    ~Waiting() {
      const std::scoped_lock lock(of.waking);
      of.waiting = nullptr;
    }
  };
  if (!loader.here()) return std::forward<Call>(call)(loader);
  {
    const std::scoped_lock lock(loader.waking);
    if (loader.closed) return closed_meanwhile();
    loader.waiting = &loader.open->loader.engine();
  }
  const Waiting waiting{loader};
  const int status = std::forward<Call>(call)(loader);
  if (status == FLATOUT_OK || status == FLATOUT_END) return status;
  const std::scoped_lock lock(loader.waking);
  return loader.closed ? closed_meanwhile() : status;
}

}  // namespace flatout::data::abi
