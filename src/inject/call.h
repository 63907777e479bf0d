// The arguments of one call of a Span, in whichever of Python's two forms they
// came: as an array (vectorcall) or as a tuple and a dict. What a mode does not ask
// for is never built.
#pragma once

#include <cstddef>

#include "inject/python_api.h"

namespace flatout::inject {

struct Span;

// As Python's vectorcallfunc, which the limited API leaves out before 3.12.
using Vectorcall = PyObject* (*)(PyObject*, PyObject* const*, std::size_t, PyObject*);

// A call of a function of C as it came: handed on in the form in which C takes it.
struct Unchanged {
  PyObject* (*again)(const Unchanged&);
  void (*code)();
  PyObject* self;
  PyObject* argument;  // or the tuple of them
  PyObject* const* vector = nullptr;
  Py_ssize_t count = 0;
  PyObject* names = nullptr;  // or the dict of keywords
};

// Lives on the stack for as long as the caller's arguments do.
class Call {
 public:
  Call(PyObject* args, PyObject* kwargs) : args_(args), kwargs_(kwargs) {}
  Call(PyObject* const* vector, std::size_t flags, PyObject* names)
      : vector_(vector), flags_(flags), names_(names) {}
  // `kwargs` and `unchanged` may be nullptr; without keywords `names` is, too.
  Call(PyObject* const* vector, std::size_t flags, PyObject* names, PyObject* kwargs,
       const Unchanged* unchanged)
      : vector_(vector), flags_(flags), names_(names), kwargs_(kwargs), unchanged_(unchanged) {}
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  Py_ssize_t positional() const;
  PyObject* argument(Py_ssize_t index) const;  // positional; borrowed, nullptr where there is none

  // Borrowed; nullptr with an error where there is no memory.
  PyObject* tuple();
  // Borrowed; nullptr without keywords. Ask failed() whether that is for want of memory.
  PyObject* keywords();
  bool failed() const { return failed_; }

  // Calls what `span` stands in for, with these arguments: new reference or nullptr.
  PyObject* run(Span* span);

 private:
  PyObject* run_as_vector(Vectorcall original, PyObject* function) const;

  PyObject* const* vector_ = nullptr;
  std::size_t flags_ = 0;
  PyObject* names_ = nullptr;
  PyObject* args_ = nullptr;
  PyObject* kwargs_ = nullptr;
  const Unchanged* unchanged_ = nullptr;
  Ref own_args_;
  Ref own_kwargs_;
  bool failed_ = false;
};

}  // namespace flatout::inject
