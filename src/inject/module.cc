// The module `_native` that the Python side of the hooks talks to. It knows
// nothing of what is patched: that stands in python/flatout/hooks.
#include <cstring>

#include "inject/allocator_samples.h"
#include "inject/batch_timer.h"
#include "inject/bound_code.h"
#include "inject/boundary.h"
#include "inject/callback_error.h"
#include "inject/device_functions.h"
#include "inject/device_time.h"
#include "inject/driven_steps.h"
#include "inject/emit.h"
#include "inject/graph_capture.h"
#include "inject/import_clock.h"
#include "inject/in_place.h"
#include "inject/loader_iterators.h"
#include "inject/peers.h"
#include "inject/scoped_call.h"
#include "inject/span.h"
#include "inject/steps.h"
#include "inject/torch_state.h"
#include "inject/tracers.h"
#include "inject/trial_watches.h"

namespace flatout::inject {
namespace {

PyObject* identify_callback = nullptr;
PyObject* opened_callback = nullptr;
PyObject* stopping_callback = nullptr;

// identify() -> worker id of a loader worker, or None for any other process.
Identity identify() {
  const Unseen unseen;
  const Ref answer(PyObject_CallFunctionObjArgs(identify_callback, nullptr));
  if (!answer) drop_callback_error();
  if (!answer || answer.get() == Py_None) return {};
  const long worker = PyLong_AsLong(answer.get());
  if (worker < 0) PyErr_Clear();
  return {wire::RingRole::kWorker, static_cast<int>(worker)};
}

void opened() {
  const Unseen unseen;
  const Ref done(PyObject_CallFunctionObjArgs(opened_callback, nullptr));
  if (!done) drop_callback_error();
}

// Called from a hook, so the interpreter is held; marks of C programs have a copy of their own.
void stopping() {
  if (stopping_callback == nullptr) return;
  const Unseen unseen;
  const Ref done(PyObject_CallFunctionObjArgs(stopping_callback, nullptr));
  if (!done) drop_callback_error();
}

PyObject* py_configure(PyObject*, PyObject* args) {
  const char* ring_dir = nullptr;
  int quiet = 0;
  unsigned long long stop = 0;
  int trial = 0;
  PyObject* identify_with = nullptr;
  PyObject* opened_with = nullptr;
  PyObject* stopping_with = nullptr;
  if (!PyArg_ParseTuple(args, "spKOO|pO", &ring_dir, &quiet, &stop, &identify_with, &opened_with,
                        &trial, &stopping_with)) {
    return nullptr;
  }
  identify_callback = new_ref(identify_with);
  opened_callback = new_ref(opened_with);
  if (stopping_with != nullptr) stopping_callback = new_ref(stopping_with);
  stop_after(stop, trial != 0, stopping);
  behind_steps(sample_allocator_if_due);
  behind_trial_steps(device_step_ended);
  configure(ring_dir, quiet != 0, {identify, opened});
  Py_RETURN_NONE;
}

PyObject* py_set_torch(PyObject*, PyObject* args) {
  PyObject *grad = nullptr, *tensor = nullptr, *length = nullptr, *depth = nullptr;
  if (!PyArg_ParseTuple(args, "OOOO", &grad, &tensor, &length, &depth)) return nullptr;
  set_torch(grad, tensor, length, depth);
  Py_RETURN_NONE;
}

PyObject* none_as_null(PyObject* object) { return object == Py_None ? nullptr : object; }

PyObject* py_set_tracers(PyObject*, PyObject* args) {
  PyObject *frames = nullptr, *unseen = nullptr, *count = nullptr, *mode = nullptr;
  PyObject *jit = nullptr, *level = nullptr;
  if (!PyArg_ParseTuple(args, "OOOOOO", &frames, &unseen, &count, &mode, &jit, &level)) {
    return nullptr;
  }
  set_tracers({none_as_null(frames), none_as_null(unseen), none_as_null(count), none_as_null(mode),
               none_as_null(jit), none_as_null(level)});
  Py_RETURN_NONE;
}

PyObject* py_watched(PyObject*, PyObject*) {
  return PyBool_FromLong(watch() != Watch::kNone ? 1 : 0);
}

// What span() and hook() are given beside the function.
struct SpanWords {
  int mode = 0, phase = 0;
  const char* stage = nullptr;
  Py_ssize_t stage_bytes = 0;
  PyObject *before = Py_None, *after = Py_None, *name_from = Py_None;
};

PyObject* span_of(PyObject* function, const SpanWords& words) {
  if (words.mode < 0 || words.mode > static_cast<int>(SpanMode::kUpdate) || words.phase < 0 ||
      words.phase >= static_cast<int>(run::kPhaseNames.size()) || !PyCallable_Check(function)) {
    PyErr_SetString(PyExc_ValueError, "span: unknown mode or phase, or nothing to call");
    return nullptr;
  }
  std::uint32_t id = 0;
  if (words.stage != nullptr) {
    const bool collate = std::strcmp(words.stage, "collate") == 0;
    id = collate ? kCollateStage
                 : stage_id(words.stage, static_cast<std::uint32_t>(words.stage_bytes));
  }
  return new_span(function, static_cast<SpanMode>(words.mode), static_cast<run::Phase>(words.phase),
                  id, none_as_null(words.before), none_as_null(words.after),
                  none_as_null(words.name_from));
}

PyObject* py_span(PyObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"function", "mode",  "phase",     "stage",
                                "before",   "after", "name_from", nullptr};
  PyObject* function = nullptr;
  SpanWords words;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "Oi|iz#OOO", const_cast<char**>(names), &function,
                                   &words.mode, &words.phase, &words.stage, &words.stage_bytes,
                                   &words.before, &words.after, &words.name_from)) {
    return nullptr;
  }
  return span_of(function, words);
}

// A function of another C module that `holder` shows under a name of its own, as `os` does those of
// posix: found there by pickle whatever stands here, and its hash may lie in sets
// (os.supports_dir_fd).
bool shows_a_c_function(PyObject* holder, PyObject* function) {
  if (Py_TYPE(function) != &PyCFunction_Type || !PyModule_Check(holder)) return false;
  const Ref here(PyObject_GetAttrString(holder, "__name__"));
  const Ref home(PyObject_GetAttrString(function, "__module__"));
  const int same = here && home ? PyObject_RichCompareBool(here.get(), home.get(), Py_EQ) : 1;
  PyErr_Clear();
  return same == 0 && home.get() != Py_None;
}

PyObject* py_hook(PyObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"holder", "name",  "mode",      "phase", "stage",
                                "before", "after", "name_from", nullptr};
  PyObject *holder = nullptr, *name = nullptr;
  SpanWords words;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OUi|iz#OOO", const_cast<char**>(names), &holder,
                                   &name, &words.mode, &words.phase, &words.stage,
                                   &words.stage_bytes, &words.before, &words.after,
                                   &words.name_from)) {
    return nullptr;
  }
  const Ref function(PyObject_GetAttr(holder, name));
  if (!function) return nullptr;
  Ref span(span_of(function.get(), words));
  if (!span) return nullptr;
  const Kind kind =
      is_method_of_pybind(holder, name, function.get()) ? Kind::kMethodOfPybind : Kind::kAny;
  const bool in_place = !shows_a_c_function(holder, function.get()) &&
                        hook_in_place(function.get(), reinterpret_cast<Span*>(span.get()), kind);
  if (!in_place && PyObject_SetAttr(holder, name, span.get()) != 0) return nullptr;
  // What the interpreter has cached of the class's methods was made without the hook.
  if (in_place && PyType_Check(holder)) PyType_Modified(reinterpret_cast<PyTypeObject*>(holder));
  return span.release();
}

PyObject* py_unhook(PyObject*, PyObject* span) {
  if (!is_span(span)) Py_RETURN_FALSE;
  PyObject* function = span;
  while (is_span(function)) function = reinterpret_cast<Span*>(function)->function;
  const Ref held(new_ref(function));
  return PyBool_FromLong(unhook_in_place(function, reinterpret_cast<Span*>(span)) ? 1 : 0);
}

// What a Span stands in for; anything else is given back.
PyObject* py_unwrap(PyObject*, PyObject* object) {
  while (is_span(object)) object = reinterpret_cast<Span*>(object)->function;
  return new_ref(object);
}

PyObject* py_is_first_interpreter(PyObject*, PyObject*) {
  return PyBool_FromLong(PyInterpreterState_GetID(PyInterpreterState_Get()) == 0 ? 1 : 0);
}

PyObject* py_can_hook_in_place(PyObject*, PyObject*) {
  return PyBool_FromLong(can_hook_in_place() ? 1 : 0);
}

PyObject* py_fact(PyObject*, PyObject* args) {
  const char *key = nullptr, *json = nullptr;
  Py_ssize_t key_bytes = 0, json_bytes = 0;
  if (!PyArg_ParseTuple(args, "s#s#", &key, &key_bytes, &json, &json_bytes)) return nullptr;
  emit_fact(key, static_cast<std::uint32_t>(key_bytes), json,
            static_cast<std::uint32_t>(json_bytes));
  Py_RETURN_NONE;
}

PyObject* py_value(PyObject*, PyObject* args) {
  const char* name = nullptr;
  Py_ssize_t name_bytes = 0;
  long long step = wire::kNoStep;
  double value = 0;
  if (!PyArg_ParseTuple(args, "s#Ld", &name, &name_bytes, &step, &value)) return nullptr;
  if (name_bytes < 1 || name_bytes > static_cast<Py_ssize_t>(wire::kMaxValueNameBytes) ||
      step < wire::kNoStep) {
    PyErr_SetString(PyExc_ValueError, "value: no name or one that is too long, or no step");
    return nullptr;
  }
  emit_value(name, static_cast<std::uint32_t>(name_bytes), value, step);
  Py_RETURN_NONE;
}

// begin(phase), end(phase): for PyTorch's own hook points, where a step cannot be hooked in place.
PyObject* py_begin(PyObject*, PyObject* phase) {
  const long value = PyLong_AsLong(phase);
  if (value > 0 && value < static_cast<long>(run::kPhaseNames.size()) && !traced()) {
    open_phase(static_cast<run::Phase>(value), 0, 0, 0);
  }
  Py_RETURN_NONE;
}

PyObject* py_end(PyObject*, PyObject* phase) {
  const long value = PyLong_AsLong(phase);
  if (value > 0 && value < static_cast<long>(run::kPhaseNames.size()) && !traced()) {
    const bool update = static_cast<run::Phase>(value) == run::Phase::kOptimizer;
    close_phase(static_cast<run::Phase>(value), update && capturing() ? wire::kCaptured : 0, 0, 0);
    if (update) step_update();
  }
  Py_RETURN_NONE;
}

PyObject* py_number_iterator(PyObject*, PyObject* args) {
  PyObject* iterator = nullptr;
  unsigned int loader = 0;
  if (!PyArg_ParseTuple(args, "OI", &iterator, &loader)) return nullptr;
  step_epoch();
  return PyLong_FromUnsignedLong(number_iterator(iterator, loader).iterator);
}

PyObject* py_look_inside(PyObject*, PyObject* callback) {
  return PyBool_FromLong(look_inside(none_as_null(callback)) ? 1 : 0);
}

PyObject* py_rest_forwards(PyObject*, PyObject* args) {
  PyObject* module_class = nullptr;
  unsigned int forwards = 0;
  if (!PyArg_ParseTuple(args, "OI", &module_class, &forwards)) return nullptr;
  rest_forwards(module_class, forwards);
  Py_RETURN_NONE;
}

PyObject* py_set_forward_scope(PyObject*, PyObject* args) {
  PyObject *enter = nullptr, *leave = nullptr;
  if (!PyArg_ParseTuple(args, "OO", &enter, &leave)) return nullptr;
  set_forward_scope(enter, leave);
  Py_RETURN_NONE;
}

PyObject* py_optimizer_built(PyObject*, PyObject*) {
  step_optimizer_built();
  Py_RETURN_NONE;
}

PyObject* py_expect_ranks(PyObject*, PyObject* ranks) {
  const unsigned long value = PyLong_AsUnsignedLong(ranks);
  if (value == static_cast<unsigned long>(-1) && PyErr_Occurred() != nullptr) return nullptr;
  expect_ranks(static_cast<std::uint32_t>(value));
  Py_RETURN_NONE;
}

PyObject* py_steps_closed(PyObject*, PyObject*) {
  return PyLong_FromUnsignedLongLong(steps_closed());
}

PyObject* py_import_seconds(PyObject*, PyObject*) {
  return PyFloat_FromDouble(static_cast<double>(imports_ns()) / 1e9);
}

PyObject* py_current_loader(PyObject*, PyObject*) {
  return PyLong_FromUnsignedLong(current_loader());
}

// Whether the program trains on a loader: None while nothing has been trained at all.
PyObject* py_loader_fed_training(PyObject*, PyObject* loader) {
  const unsigned long number = PyLong_AsUnsignedLong(loader);
  if (number == static_cast<unsigned long>(-1) && PyErr_Occurred() != nullptr) return nullptr;
  if (!training_seen()) Py_RETURN_NONE;
  return PyBool_FromLong(loader_fed_training(static_cast<std::uint32_t>(number)) ? 1 : 0);
}

template <typename Function>
PyCFunction with_keywords(Function* function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

PyMethodDef functions[] = {
    {"configure", py_configure, METH_VARARGS,
     "configure(ring_dir, quiet, stop_after, identify, opened, trial=False, stopping=None)"},
    {"set_torch", py_set_torch, METH_VARARGS,
     "set_torch(is_grad_enabled, Tensor, TensorBase.__len__, mode_depth)"},
    {"set_tracers", py_set_tracers, METH_VARARGS,
     "set_tracers(set_eval_frame, no_torch_function, dispatch_modes, dispatch_mode, jit_state, "
     "functorch_level): see inject/tracers.h; None: there is none"},
    {"watched", py_watched, METH_NOARGS,
     "watched() -> bool: what this thread calls of PyTorch is traced, transformed or dispatched"},
    {"span", with_keywords(py_span), METH_VARARGS | METH_KEYWORDS,
     "span(function, mode, phase=0, stage=None, before=None, after=None, name_from=None)"},
    {"hook", with_keywords(py_hook), METH_VARARGS | METH_KEYWORDS,
     "hook(holder, name, mode, ...) -> Span: in front of holder.name; a Python function stays "
     "the object it is, all else is replaced in its holder"},
    {"unhook", py_unhook, METH_O,
     "unhook(span) -> bool: off a Python function; False: it was put into a holder"},
    {"unwrap", py_unwrap, METH_O, "unwrap(object): what a Span stands in for"},
    {"is_first_interpreter", py_is_first_interpreter, METH_NOARGS,
     "is_first_interpreter() -> bool: of this process"},
    {"can_hook_in_place", py_can_hook_in_place, METH_NOARGS,
     "can_hook_in_place() -> bool: see inject/in_place.h"},
    {"fact", py_fact, METH_VARARGS, "fact(key, json)"},
    {"value", py_value, METH_VARARGS, "value(name, step, value): step -1 = none"},
    {"begin", py_begin, METH_O, "begin(phase)"},
    {"end", py_end, METH_O, "end(phase)"},
    {"begin_capture", py_begin_capture, METH_NOARGS,
     "begin_capture(): of a CUDA graph, by this thread; see inject/graph_capture.h"},
    {"end_capture", py_end_capture, METH_NOARGS, "end_capture() -> updates that it holds"},
    {"optimizer_built", py_optimizer_built, METH_NOARGS,
     "optimizer_built(): updates are to be seen, a backward is none"},
    {"number_iterator", py_number_iterator, METH_VARARGS,
     "number_iterator(iterator, loader) -> number"},
    {"device_time", py_device_time, METH_VARARGS,
     "device_time(is_initialized, current_stream, device_type, say_devices, say_problem, "
     "say_copy): see inject/device_time.h"},
    {"allocator", py_allocator, METH_VARARGS,
     "allocator(is_initialized, devices, memory_stats, say_problem): see "
     "inject/allocator_samples.h"},
    {"sample_allocator", py_sample_allocator, METH_NOARGS,
     "sample_allocator(): once more, where this process has trained"},
    {"wait_sites", py_wait_sites, METH_VARARGS, "wait_sites(is_own, say): see inject/wait_sites.h"},
    {"capture_opens", py_capture_opens, METH_NOARGS,
     "capture_opens(): one is about to begin in this process; see inject/device_clock/captures.h"},
    {"capture_closes", py_capture_closes, METH_NOARGS, "capture_closes(): it is over"},
    {"look_inside", py_look_inside, METH_O,
     "look_inside(callback) -> bool: called once, by the first module called inside a forward; "
     "whether the one before missed a module that was watched"},
    {"rest_forwards", py_rest_forwards, METH_VARARGS,
     "rest_forwards(class, forwards): so many of modules of this class go without their callback"},
    {"set_forward_scope", py_set_forward_scope, METH_VARARGS,
     "set_forward_scope(enter, leave): held around each outermost training forward"},
    {"import_seconds", py_import_seconds, METH_NOARGS,
     "import_seconds() -> wall time that the main thread has spent importing, see "
     "inject/import_clock.h"},
    {"current_loader", py_current_loader, METH_NOARGS,
     "current_loader() -> number of the loader that is drawn from, 0 = none"},
    {"loader_fed_training", py_loader_fed_training, METH_O,
     "loader_fed_training(loader) -> bool, or None before any training"},
    {"expect_ranks", py_expect_ranks, METH_O,
     "expect_ranks(count): so many run on this machine, see inject/peers.h"},
    {"watch_writes", py_watch_writes, METH_NOARGS,
     "watch_writes() -> bool: in a trial, see inject/write_watch.h"},
    {"write_is_outside", py_write_is_outside, METH_O,
     "write_is_outside(path: bytes) -> bool: it would be said"},
    {"note_write", py_note_write, METH_O, "note_write(path): it is written by other means"},
    {"watch_reads", py_watch_reads, METH_NOARGS,
     "watch_reads() -> bool: in a trial, see inject/read_watch.h"},
    {"note_read", py_note_read, METH_O, "note_read(path): it is read by other means than open()"},
    {"drive_steps", py_drive_steps, METH_VARARGS,
     "drive_steps(path, put, settled, outcomes): in a trial, see inject/driven_steps.h"},
    {"disturb_block", py_disturb_block, METH_NOARGS,
     "disturb_block(): what is measured now is none, see inject/driven_steps.h"},
    {"steps_closed", py_steps_closed, METH_NOARGS, "steps_closed() -> count"},
    {nullptr, nullptr, 0, nullptr},
};

int execute(PyObject* module) {
  const Ref type(span_type());
  return type ? PyModule_AddObject(module, "Span", new_ref(type.get())) : -1;
}

PyModuleDef_Slot slots[] = {{Py_mod_exec, reinterpret_cast<void*>(execute)}, {0, nullptr}};

PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_native", nullptr, 0, functions, slots, nullptr, nullptr, nullptr};

}  // namespace
}  // namespace flatout::inject

// NOLINTNEXTLINE(bugprone-reserved-identifier): the name that Python looks for
PyMODINIT_FUNC PyInit__native(void) { return PyModuleDef_Init(&flatout::inject::definition); }
