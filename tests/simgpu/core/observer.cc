#include "core/observer.h"

#include <atomic>

namespace simgpu {
namespace {
std::atomic<Observer*> the_observer{nullptr};
}  // namespace

void set_observer(Observer* observer) { the_observer.store(observer, std::memory_order_release); }
Observer* observer() { return the_observer.load(std::memory_order_acquire); }

}  // namespace simgpu
