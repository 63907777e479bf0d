// What the arguments of Tensor.to and Tensor.cuda say of the copy.
#pragma once

#include "inject/call.h"

namespace flatout::inject {

// The first argument, or `device` or `other`, is a device of CUDA or a tensor on one.
bool names_a_device(const Call& call, PyObject* keywords, PyObject* device_type);

// Asked not to keep the host. A positional True may be `copy` as well: nothing is measured then.
bool may_not_block(const Call& call, PyObject* keywords);

}  // namespace flatout::inject
