#include "inject/boundary.h"

#include "inject/callback_error.h"

namespace flatout::inject {
namespace {

PyObject* callback = nullptr;

// An exception of the program's may be on its way: it is put aside and back.
void tell() {
  if (callback == nullptr) return;
  const Lane& here = lane_if_known();
  const run::Phase open = here.depth > 0 ? here.open[here.depth - 1] : run::Phase::kOther;
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
  if (open) tell();
  return open;
}

void close_phase(run::Phase phase, std::uint32_t flags, std::uint32_t id, std::uint64_t value) {
  end_phase(phase, flags, id, value);
  tell();
}

}  // namespace flatout::inject
