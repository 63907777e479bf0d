// Finds who compiles, traces or watches the calls of this thread to PyTorch, and keeps our own
// Python out of their sight. All questions go to C callables that were looked up once, or to a flag
// of a module: none runs Python code.
#pragma once

#include <cstdint>

#include "inject/python_api.h"

namespace flatout::inject {

// Any of them may be nullptr: this release of PyTorch has none.
struct TracerNeeds {
  PyObject* set_eval_frame;     // of Dynamo: gives what compiles frames of this thread until now
  PyObject* no_torch_function;  // a context in which no __torch_function__ is called
  PyObject* dispatch_modes;     // how many TorchDispatchModes are on
  PyObject* dispatch_mode;      // the mode at that place
  PyObject* jit_state;          // of torch.jit.trace in this thread, None without
  PyObject* functorch_level;    // None outside all transforms of torch.func
};
void set_tracers(const TracerNeeds& needs);  // takes references of its own

enum class Watch : std::uint8_t {
  kNone,
  // A TorchDispatchMode of the program's, or a transform of torch.func: the call computes, and is a
  // phase like any other, but nothing of ours may touch a tensor or change what is called.
  kWatched,
  // torch.jit.trace, torch.fx, or PyTorch's own modes (fake, functional and proxy tensors; so
  // torch.export, AOT autograd and make_fx): the call is recorded, and trains nothing.
  kTraced,
};
Watch watch();
inline bool traced() { return watch() == Watch::kTraced; }

// While it lives, Dynamo compiles no frame of this thread. Where torch.compile breaks off, what the
// program calls is compiled by itself, and so would be a callback of ours below that.
class Uncompiled {
 public:
  Uncompiled();
  ~Uncompiled();
  bool compiled_before() const { return static_cast<bool>(compiles_); }
  Uncompiled(const Uncompiled&) = delete;
  Uncompiled& operator=(const Uncompiled&) = delete;

 private:
  Ref compiles_;  // nullptr: nothing did
};

// The same, and no TorchFunctionMode or subclass of the program's is called for what is asked of a
// tensor. Not for callbacks that change what the program computes: subclasses would be lost.
class Unseen {
 public:
  Unseen();
  ~Unseen();
  Unseen(const Unseen&) = delete;
  Unseen& operator=(const Unseen&) = delete;

 private:
  Uncompiled uncompiled_;
  Ref context_;
};

// True where Dynamo compiles the frames that this thread calls just now.
bool compiled();

}  // namespace flatout::inject
