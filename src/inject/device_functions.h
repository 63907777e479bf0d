// Functions of the module that are about CUDA: what `_native.pyi` says of each. The interpreter is
// held.
#pragma once

#include "inject/python_api.h"

namespace flatout::inject {

PyObject* py_device_time(PyObject*, PyObject* args);
PyObject* py_allocator(PyObject*, PyObject* args);
PyObject* py_sample_allocator(PyObject*, PyObject*);
PyObject* py_wait_sites(PyObject*, PyObject* args);
PyObject* py_capture_opens(PyObject*, PyObject*);
PyObject* py_capture_closes(PyObject*, PyObject*);
PyObject* py_begin_capture(PyObject*, PyObject*);
PyObject* py_end_capture(PyObject*, PyObject*);

}  // namespace flatout::inject
