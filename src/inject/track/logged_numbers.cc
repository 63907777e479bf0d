#include "inject/track/logged_numbers.h"

#include <atomic>
#include <cmath>
#include <cstring>

#include "inject/emit.h"
#include "wire/ring_lock.h"

// Of every CPython that this serves; only since 3.10 does the stable ABI list it. The text lies in
// the object, and is made once.
extern "C" const char* PyUnicode_AsUTF8AndSize(PyObject* text, Py_ssize_t* bytes);

namespace flatout::inject {
namespace {

std::atomic<std::uint64_t> lost = 0;

// Numbers of one call on their way to the ring. Keys belong to the dict, or to `held`.
class Batch {
 public:
  Batch(std::uint32_t track, std::int64_t step) : track_(track), step_(step) {}

  // False: full, flush() first.
  bool add(const char* name, std::uint32_t bytes, double value) {
    if (count_ == kMost) return false;
    values_[count_++] = {name, bytes, value};
    return true;
  }
  bool full() const { return count_ == kMost; }

  void flush() {
    const std::size_t written = count_ == 0 ? 0 : emit_values(values_, count_, step_, track_);
    if (written < count_) lost.fetch_add(count_ - written, std::memory_order_relaxed);
    count_ = 0;
  }

 private:
  static constexpr std::size_t kMost = 64;
  NamedNumber values_[kMost];
  std::size_t count_ = 0;
  std::uint32_t track_;
  std::int64_t step_;
};

enum class Found : std::uint8_t { kNumber, kOther, kInterrupted };

// An error of the program's own code: a number that is not available is none. What is no Exception
// (KeyboardInterrupt, SystemExit) is the program's business.
Found of_error() {
  if (PyErr_Occurred() != nullptr && PyErr_ExceptionMatches(PyExc_Exception) == 0) {
    return Found::kInterrupted;
  }
  PyErr_Clear();
  return Found::kOther;
}

bool has_dimensions(PyObject* object) {
  const Ref dimensions(PyObject_GetAttrString(object, "ndim"));
  if (!dimensions) return false;
  return !PyLong_Check(dimensions.get()) || PyLong_AsLong(dimensions.get()) != 0;
}

Found number_of(PyObject* object, double& out) {
  if (PyFloat_CheckExact(object)) {
    out = PyFloat_AsDouble(object);
    return Found::kNumber;
  }
  if (PyLong_Check(object)) {  // bool too; one that no double holds is none
    out = PyLong_AsDouble(object);
    return out == -1.0 && PyErr_Occurred() != nullptr ? of_error() : Found::kNumber;
  }
  if (PyUnicode_Check(object) || PyBytes_Check(object) || PyDict_Check(object) ||
      object == Py_None) {
    return Found::kOther;
  }
  auto* const type = reinterpret_cast<PyObject*>(Py_TYPE(object));
  if (!PyFloat_Check(object) && PyObject_HasAttrString(type, "__float__") == 0) return of_error();
  const bool several = has_dimensions(object);
  if (PyErr_Occurred() != nullptr && of_error() == Found::kInterrupted) return Found::kInterrupted;
  if (several) return Found::kOther;
  const Ref number(PyNumber_Float(object));
  if (!number) return of_error();
  out = PyFloat_AsDouble(number.get());
  return Found::kNumber;
}

const char* name_of(PyObject* key, std::uint32_t& bytes) {
  if (!PyUnicode_Check(key)) return nullptr;
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(key, &size);
  if (text == nullptr) {  // a lone surrogate
    PyErr_Clear();
    return nullptr;
  }
  if (size < 1 || size > static_cast<Py_ssize_t>(wire::kMaxValueNameBytes)) return nullptr;
  bytes = static_cast<std::uint32_t>(size);
  return text;
}

// Of built-in types alone: looking at them runs no code that could change the dict.
bool is_plain(PyObject* data) {
  PyObject *key = nullptr, *value = nullptr;
  Py_ssize_t at = 0;
  while (PyDict_Next(data, &at, &key, &value) != 0) {
    if (!PyUnicode_CheckExact(key)) return false;
    if (!PyFloat_CheckExact(value) && !PyLong_Check(value) && !PyUnicode_CheckExact(value)) {
      return false;
    }
  }
  return true;
}

}  // namespace

PyObject* write_numbers(std::uint32_t track, std::int64_t step, PyObject* data) {
  // A __float__ of the program's may change its dict, or drop a key: then a copy of ours is read.
  const Ref own(is_plain(data) ? new_ref(data) : PyDict_Copy(data));
  if (!own) {
    PyErr_Clear();
    return new_ref(data);
  }
  Batch batch(track, step);
  Ref rest;
  PyObject *key = nullptr, *value = nullptr;
  Py_ssize_t at = 0;
  while (PyDict_Next(own.get(), &at, &key, &value) != 0) {
    std::uint32_t bytes = 0;
    const char* name = name_of(key, bytes);
    double number = 0;
    const Found found = name == nullptr ? Found::kOther : number_of(value, number);
    if (found == Found::kInterrupted) return nullptr;
    if (found == Found::kNumber) {
      if (batch.full()) batch.flush();
      batch.add(name, bytes, number);
      continue;
    }
    if (!rest) rest = Ref(PyDict_New());
    if (!rest || PyDict_SetItem(rest.get(), key, value) != 0) PyErr_Clear();
  }
  batch.flush();
  return rest ? rest.release() : new_ref(Py_None);
}

std::uint64_t lost_numbers() { return lost.load(std::memory_order_relaxed); }

}  // namespace flatout::inject
