#include "inject/device_functions.h"

#include "inject/allocator_samples.h"
#include "inject/device_time.h"
#include "inject/graph_capture.h"
#include "inject/steps.h"
#include "inject/wait_sites.h"

namespace flatout::inject {

PyObject* py_device_time(PyObject*, PyObject* args) {
  DeviceTimeNeeds needs{};
  if (!PyArg_ParseTuple(args, "OOOOOO", &needs.is_initialized, &needs.current_stream,
                        &needs.device_type, &needs.say_devices, &needs.say_problem,
                        &needs.say_copy)) {
    return nullptr;
  }
  set_device_time(needs);
  Py_RETURN_NONE;
}

PyObject* py_allocator(PyObject*, PyObject* args) {
  AllocatorNeeds needs{};
  if (!PyArg_ParseTuple(args, "OOOO", &needs.is_initialized, &needs.devices, &needs.memory_stats,
                        &needs.say_problem)) {
    return nullptr;
  }
  set_allocator(needs);
  Py_RETURN_NONE;
}

PyObject* py_sample_allocator(PyObject*, PyObject*) {
  if (training_seen()) sample_allocator();
  Py_RETURN_NONE;
}

PyObject* py_wait_sites(PyObject*, PyObject* args) {
  WaitSiteNeeds needs{};
  if (!PyArg_ParseTuple(args, "OO", &needs.is_own, &needs.say)) return nullptr;
  set_wait_sites(needs);
  Py_RETURN_NONE;
}

PyObject* py_capture_opens(PyObject*, PyObject*) {
  capture_opens();
  Py_RETURN_NONE;
}

PyObject* py_capture_closes(PyObject*, PyObject*) {
  capture_closes();
  Py_RETURN_NONE;
}

PyObject* py_begin_capture(PyObject*, PyObject*) {
  begin_capture();
  Py_RETURN_NONE;
}

PyObject* py_end_capture(PyObject*, PyObject*) { return PyLong_FromUnsignedLong(end_capture()); }

}  // namespace flatout::inject
