#include "inject/boundary.h"

#include "inject/callback_error.h"

namespace flatout::inject {
namespace {

PyObject* callback = nullptr;

// The phase that is open where `depth` of the lane's are.
run::Phase open_at(const Lane& here, int depth) {
  return depth > 0 ? here.open[depth - 1] : run::Phase::kOther;
}

// How many are open once the innermost `phase` has ended.
int depth_without(const Lane& here, run::Phase phase) {
  for (int i = here.depth - 1; i >= 0; --i) {
    if (here.open[i] == phase) return i;
  }
  return here.depth;
}

// An exception of the program's may be on its way: it is put aside and back.
void tell(run::Phase open) {
  if (callback == nullptr) return;
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  const Ref phase(PyLong_FromLong(static_cast<long>(open)));
  const Ref done(PyObject_CallFunctionObjArgs(callback, phase.get(), nullptr));
  if (!done) drop_callback_error();
  PyErr_Restore(type, value, traceback);
}

}  // namespace

void set_boundary(PyObject* with) { callback = new_ref(with); }

bool open_phase(run::Phase phase, std::uint32_t flags, std::uint32_t id, std::uint64_t value) {
  const bool open = begin_phase(phase, flags, id, value);
  if (open) tell(phase);
  return open;
}

void close_phase(run::Phase phase, std::uint32_t flags, std::uint32_t id, std::uint64_t value) {
  // Before the end is written: whoever times the call from outside sees the callback's time in it.
  const Lane& here = lane_if_known();
  tell(open_at(here, depth_without(here, phase)));
  end_phase(phase, flags, id, value);
}

}  // namespace flatout::inject
