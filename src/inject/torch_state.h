// The few questions that a Span asks PyTorch, through C callables that were
// looked up once. None of them runs Python code of the user.
#pragma once

#include <cstdint>

#include "inject/python_api.h"

namespace flatout::inject {

// New references are taken. `tensor_length` is the slot of len()
// in C, which is faster than size(0) and says 0 for a scalar;
// `mode_depth` returns how many TorchFunctionModes are active.
void set_torch(PyObject* is_grad_enabled, PyObject* tensor_type, PyObject* tensor_length,
               PyObject* mode_depth);

bool grad_enabled();  // true when it cannot be known

// Length of the first dimension of the first tensor in a batch: the batch
// itself, or the first entry of a list, tuple or dict, two levels deep. 0 when
// there is none, or when a TorchFunctionMode of the user's or a trace would notice.
std::uint64_t samples_in(PyObject* batch);

// Bytes of the tensors in a batch: the batch itself, or the entries of a list,
// tuple or dict, two levels deep. 0 when there are none, or as above.
std::uint64_t bytes_in(PyObject* batch);

// object.is_cuda; false for anything but a tensor, or when a TorchFunctionMode
// of the user's would notice the question.
bool on_device(PyObject* object);

// module.training; true when it cannot be known.
bool is_training(PyObject* module);

}  // namespace flatout::inject
