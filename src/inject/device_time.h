// Device time of phases and of blocking copies on CUDA: what inject/device_clock needs of PyTorch,
// asked through its own functions of C. Nothing here starts CUDA: until the program has done so,
// and on threads that it does not use it from, nothing happens. What fails says so once and is
// switched off.
#pragma once

#include "inject/call.h"
#include "inject/device_clock/copy_clock.h"
#include "inject/python_api.h"
#include "run/phase.h"

namespace flatout::inject {

// New references are taken.
struct DeviceTimeNeeds {
  PyObject* is_initialized;  // torch.cuda's: asked until it says True
  PyObject* current_stream;  // device -> the current stream as a number
  PyObject* device_type;     // torch.device
  PyObject* say_devices;     // called once, when CUDA is first seen at work
  PyObject* say_problem;     // what, why (a text or an exception) -> None
  PyObject* say_copy;        // source -> whether to be called again for a further copy
};
void set_device_time(const DeviceTimeNeeds& needs);

// `open` is the phase that is open from here on. An exception of the program's may be on its way.
void device_boundary(run::Phase open);

// The host has waited for the device, at no boundary: what is known by now is read, since a program
// may end there.
void device_waited();

// A step of a trial is over, and no phase is open: waits until the device is near
// (device_clock/pace.h), which is `sync`.
void device_step_ended();

// Between what torch.cuda.CUDAGraph's capture_begin() and capture_end() do.
void capture_opens();
void capture_closes();

// How a method of Tensor copies to a device: `to` where its arguments name one, `cuda` always.
enum class CopyBy { kTo, kCuda };
device_clock::Copy begin_device_copy(const Call& call, PyObject* keywords, CopyBy by);
// Nanoseconds that the device took for it, or -1 where that is not known.
std::int64_t end_device_copy(device_clock::Copy* copy, PyObject* source);
void drop_device_copy(device_clock::Copy* copy);

}  // namespace flatout::inject
