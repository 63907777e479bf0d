#include "inject/batch_timer.h"
#include "inject/callback_error.h"
#include "inject/emit.h"
#include "inject/span.h"
#include "inject/torch_state.h"

namespace flatout::inject {
namespace {

// What `before` marked, or None where it will not measure this call.
Ref mark(Span* span, PyObject* args, PyObject* keywords) {
  PyObject* named = keywords != nullptr ? keywords : Py_None;
  Ref marked(PyObject_CallFunctionObjArgs(span->before, args, named, nullptr));
  if (!marked) drop_callback_error();
  return marked;
}

// What `after` says the device took for the copy; -1 = not known.
std::int64_t device_ns(Span* span, PyObject* args, PyObject* result, PyObject* marked) {
  if (span->after == nullptr || marked == nullptr || marked == Py_None) return -1;
  const Ref answer(PyObject_CallFunctionObjArgs(span->after, args, result, marked, nullptr));
  const long long ns = answer && PyLong_Check(answer.get()) ? PyLong_AsLongLong(answer.get()) : -1;
  if (!answer) drop_callback_error();
  if (ns < 0) PyErr_Clear();
  return ns;
}

// A blocking copy first waits until the device reaches it: that part is sync.
void record_copy(std::int64_t begin_ns, std::int64_t end_ns, std::int64_t copy_ns) {
  const std::int64_t wall = end_ns - begin_ns;
  if (copy_ns < 0 || copy_ns > wall) copy_ns = wall;
  if (copy_ns < wall) emit_span(run::Phase::kSync, begin_ns, end_ns - copy_ns);
  emit_span(run::Phase::kH2d, end_ns - copy_ns, end_ns);
}

// A class of the program's with a __torch_function__ gets the call and makes it once more.
thread_local bool inside = false;

PyObject* run_inside(Span* span, Call& call) {
  inside = true;
  PyObject* result = call.run(span);
  inside = false;
  return result;
}

}  // namespace

PyObject* call_device(Span* span, Call& call) {
  PyObject* source = call.argument(0);
  if (inside || in_batch() || source == nullptr) return call.run(span);
  PyObject* args = call.tuple();
  if (args == nullptr) return nullptr;
  const bool from_device = on_device(source);
  Ref marked;
  if (!from_device && span->before != nullptr) {
    PyObject* keywords = call.keywords();
    if (call.failed()) return nullptr;
    marked = mark(span, args, keywords);
  }
  const std::int64_t begin_ns = now_ns();
  PyObject* result = run_inside(span, call);
  const std::int64_t end_ns = now_ns();
  if (result == nullptr) return nullptr;
  const bool to_device = on_device(result);
  if (from_device && !to_device) emit_span(run::Phase::kSync, begin_ns, end_ns);
  if (!from_device && to_device) {
    record_copy(begin_ns, end_ns, device_ns(span, args, result, marked.get()));
  }
  return result;
}

}  // namespace flatout::inject
