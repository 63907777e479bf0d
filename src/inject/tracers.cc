#include "inject/tracers.h"

#include <cstring>

namespace flatout::inject {
namespace {

TracerNeeds tracers{};

// The answer of a callable of torch's; empty where there is none, or it raised.
Ref asked(PyObject* callable, PyObject* argument = nullptr) {
  if (callable == nullptr) return {};
  Ref answer(PyObject_CallFunctionObjArgs(callable, argument, nullptr));
  if (!answer) PyErr_Clear();
  return answer;
}

bool is_something(const Ref& answer) { return answer && answer.get() != Py_None; }

// An error that stands while it lives is the same behind it.
class KeptError {
 public:
  KeptError() { PyErr_Fetch(&type_, &value_, &traceback_); }
  ~KeptError() { PyErr_Restore(type_, value_, traceback_); }
  KeptError(const KeptError&) = delete;
  KeptError& operator=(const KeptError&) = delete;

 private:
  PyObject *type_ = nullptr, *value_ = nullptr, *traceback_ = nullptr;
};

PyObject* named_item(PyObject* names, PyObject* name) {  // borrowed; nullptr: it is not there
  return names != nullptr && PyDict_Check(names) ? PyDict_GetItem(names, name) : nullptr;
}

// torch.fx may be imported at any time. Its flag is the process's, so that other threads' calls are
// left alone as well; from 2.14 on each thread has its own.
bool fx_traces() {
  static PyObject* const module_name = PyUnicode_InternFromString("torch.fx._symbolic_trace");
  static PyObject* const flag_name = PyUnicode_InternFromString("_is_fx_tracing_flag");
  static PyObject* const threads_name = PyUnicode_InternFromString("_is_fx_tracing_tls");
  static PyObject* const threads_flag = PyUnicode_InternFromString("flag");
  static PyObject* const fields_name = PyUnicode_InternFromString("__dict__");
  PyObject* module = named_item(PyImport_GetModuleDict(), module_name);
  if (module == nullptr || !PyModule_Check(module)) return false;
  PyObject* names = PyModule_GetDict(module);
  if (PyObject* flag = named_item(names, flag_name); flag != nullptr) return flag == Py_True;
  PyObject* threads = named_item(names, threads_name);
  if (threads == nullptr) return false;
  const Ref fields(PyObject_GetAttr(threads, fields_name));
  PyErr_Clear();
  return named_item(fields.get(), threads_flag) == Py_True;
}

bool starts_with(const char* text, const char* begin) {
  return std::strncmp(text, begin, std::strlen(begin)) == 0;
}

// Where the modes live by which PyTorch itself traces; those that only look on
// (torch.utils.flop_counter, torch.utils.checkpoint) live elsewhere.
bool is_of_a_tracer(PyObject* type) {
  const Ref module(PyObject_GetAttrString(type, "__module__"));
  const Ref text(module && PyUnicode_Check(module.get()) ? PyUnicode_AsUTF8String(module.get())
                                                         : nullptr);
  const char* name = text ? PyBytes_AsString(text.get()) : nullptr;
  PyErr_Clear();
  if (name == nullptr) return false;
  for (const char* home :
       {"torch._subclasses.", "torch.fx.", "torch.export.", "torch._export.", "torch._functorch.",
        "torch._higher_order_ops.", "torch._dynamo.", "torch._inductor."}) {
    if (starts_with(name, home)) return true;
  }
  return false;
}

// A mode of the program's that derives from one of those traces as well.
bool mode_traces(PyObject* mode) {
  const Ref mro(PyObject_GetAttrString(reinterpret_cast<PyObject*>(Py_TYPE(mode)), "__mro__"));
  PyErr_Clear();
  const Py_ssize_t count = mro && PyTuple_Check(mro.get()) ? PyTuple_Size(mro.get()) : 0;
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (is_of_a_tracer(PyTuple_GetItem(mro.get(), i))) return true;
  }
  return false;
}

Watch dispatch_watch() {
  const Ref depth = asked(tracers.dispatch_modes);
  const long count = depth ? PyLong_AsLong(depth.get()) : 0;
  PyErr_Clear();
  if (count <= 0) return Watch::kNone;
  for (long i = 0; i < count; ++i) {
    const Ref at(PyLong_FromLong(i));
    const Ref mode = at ? asked(tracers.dispatch_mode, at.get()) : Ref();
    // One that cannot be looked at is left alone.
    if (!mode || mode_traces(mode.get())) return Watch::kTraced;
  }
  return Watch::kWatched;
}

}  // namespace

void set_tracers(const TracerNeeds& needs) {
  tracers = {new_ref(needs.set_eval_frame), new_ref(needs.no_torch_function),
             new_ref(needs.dispatch_modes), new_ref(needs.dispatch_mode),
             new_ref(needs.jit_state),      new_ref(needs.functorch_level)};
}

Watch watch() {
  const KeptError kept;
  if (fx_traces() || is_something(asked(tracers.jit_state))) return Watch::kTraced;
  const Watch by_modes = dispatch_watch();
  if (by_modes != Watch::kNone) return by_modes;
  return is_something(asked(tracers.functorch_level)) ? Watch::kWatched : Watch::kNone;
}

Uncompiled::Uncompiled() {
  if (tracers.set_eval_frame == nullptr) return;
  const KeptError kept;
  compiles_ = asked(tracers.set_eval_frame, Py_None);
  if (compiles_.get() == Py_None) compiles_ = Ref();
}

Uncompiled::~Uncompiled() {
  if (!compiles_) return;
  const KeptError kept;
  (void)asked(tracers.set_eval_frame, compiles_.get());
}

bool compiled() {
  const Uncompiled meanwhile;
  return meanwhile.compiled_before();
}

Unseen::Unseen() {
  const KeptError kept;
  context_ = asked(tracers.no_torch_function);
  if (!context_) return;
  const Ref entered(PyObject_CallMethod(context_.get(), "__enter__", nullptr));
  if (!entered) {
    PyErr_Clear();
    context_ = Ref();
  }
}

Unseen::~Unseen() {
  if (!context_) return;
  const KeptError kept;
  const Ref left(PyObject_CallMethod(context_.get(), "__exit__", "OOO", Py_None, Py_None, Py_None));
  if (!left) PyErr_Clear();
}

}  // namespace flatout::inject
