#include "core/observer.h"

namespace simgpu {
namespace {
Observer* the_observer = nullptr;
}  // namespace

void set_observer(Observer* observer) { the_observer = observer; }
Observer* observer() { return the_observer; }

}  // namespace simgpu
