#include "inject/wait_sites.h"

#include <cstddef>

#include "inject/callback_error.h"
#include "inject/process_state.h"
#include "inject/tracers.h"

namespace flatout::inject {
namespace {

constexpr std::uint32_t kMostSites = 256;
constexpr std::size_t kMostCodes = 2048;  // a power of two; it is never more than half full
constexpr int kMostFrames = 64;           // that are gone up in search of the program's own

struct KnownCode {
  PyObject* code;  // kept
  bool own;
};

// Where a wait was called from. Only compared; `own` is nullptr where all frames are libraries'.
struct WaitPlace {
  const void* function;
  const void* own;
  long own_at;  // instruction in it
  const void* inner;
  long inner_at;
  bool operator==(const WaitPlace&) const = default;
};

WaitSiteNeeds site_needs{};
KnownCode known_codes[kMostCodes];
std::size_t known_code_count = 0;
WaitPlace wait_places[kMostSites];
std::uint32_t wait_place_count = 0;
std::uint32_t places_of = 0;     // generation() whose ring has them
std::uint32_t latest_place = 0;  // the place that was met last

PyObject* attribute(PyObject* object, const char* text, PyObject** name) {
  if (*name == nullptr) *name = PyUnicode_InternFromString(text);
  return *name != nullptr ? PyObject_GetAttr(object, *name) : nullptr;
}

PyObject* code_of(PyObject* frame) {
  static PyObject* name = nullptr;
  return attribute(frame, "f_code", &name);
}

PyObject* back_of(PyObject* frame) {
  static PyObject* name = nullptr;
  return attribute(frame, "f_back", &name);
}

long instruction_of(PyObject* frame) {
  static PyObject* name = nullptr;
  const Ref at(attribute(frame, "f_lasti", &name));
  return at ? PyLong_AsLong(at.get()) : -1;
}

std::size_t slot_of(const PyObject* code) {
  const auto address = reinterpret_cast<std::uintptr_t>(code) >> 4;
  return (address ^ address >> 11) & (kMostCodes - 1);
}

enum class Whose { kOwn, kLibrary, kUnknown };

Whose learn(KnownCode* slot, PyObject* code, PyObject* frame) {
  if (known_code_count >= kMostCodes / 2) return Whose::kUnknown;
  const Unseen unseen;
  const Ref answer(PyObject_CallFunctionObjArgs(site_needs.is_own, code, frame, nullptr));
  if (!answer) {
    drop_callback_error();
    return Whose::kUnknown;
  }
  if (slot->code != nullptr) return Whose::kUnknown;  // another thread took it meanwhile
  ++known_code_count;
  *slot = {new_ref(code), answer.get() == Py_True};
  return slot->own ? Whose::kOwn : Whose::kLibrary;
}

Whose whose(PyObject* code, PyObject* frame) {
  std::size_t at = slot_of(code);
  for (std::size_t tried = 0; tried < kMostCodes; ++tried, at = (at + 1) & (kMostCodes - 1)) {
    if (known_codes[at].code == code) return known_codes[at].own ? Whose::kOwn : Whose::kLibrary;
    if (known_codes[at].code == nullptr) return learn(&known_codes[at], code, frame);
  }
  return Whose::kUnknown;
}

// The program's innermost own frame from `innermost` on; empty without one. False: not to be known.
bool find_own(PyObject* innermost, Ref* own, Ref* own_code) {
  Ref frame(new_ref(innermost));
  for (int i = 0; i < kMostFrames && frame && frame.get() != Py_None; ++i) {
    Ref code(code_of(frame.get()));
    if (!code) return false;
    switch (whose(code.get(), frame.get())) {
      case Whose::kUnknown:
        return false;
      case Whose::kOwn:
        *own = static_cast<Ref&&>(frame);
        *own_code = static_cast<Ref&&>(code);
        return true;
      case Whose::kLibrary:
        frame = Ref(back_of(frame.get()));
    }
  }
  return static_cast<bool>(frame);
}

std::uint32_t number_of(const WaitPlace& place, PyObject* function, PyObject* own,
                        PyObject* inner) {
  if (latest_place != 0 && wait_places[latest_place - 1] == place) return latest_place;
  for (std::uint32_t i = 0; i < wait_place_count; ++i) {
    if (wait_places[i] == place) return latest_place = i + 1;
  }
  if (wait_place_count == kMostSites) return 0;
  wait_places[wait_place_count] = place;
  const std::uint32_t number = ++wait_place_count;
  const Unseen unseen;
  const Ref counted(PyLong_FromUnsignedLong(number));
  const Ref done(counted
                     ? PyObject_CallFunctionObjArgs(site_needs.say, counted.get(), function,
                                                    own != nullptr ? own : Py_None, inner, nullptr)
                     : nullptr);
  if (!done) drop_callback_error();
  return number;
}

std::uint32_t find_site(const Span* span) {
  PyObject* const inner = reinterpret_cast<PyObject*>(PyEval_GetFrame());
  if (inner == nullptr) return 0;
  const Ref inner_code(code_of(inner));
  Ref own;
  Ref own_code;
  if (!inner_code || !find_own(inner, &own, &own_code)) return 0;
  const WaitPlace place{span->function, own_code.get(), own ? instruction_of(own.get()) : -1,
                        inner_code.get(), instruction_of(inner)};
  return number_of(place, span->function, own.get(), inner);
}

}  // namespace

void set_wait_sites(const WaitSiteNeeds& needs) {
  site_needs = {new_ref(needs.is_own), new_ref(needs.say)};
}

std::uint32_t wait_site(const Span* span) {
  if (site_needs.say == nullptr || PyErr_Occurred() != nullptr) return 0;
  if (places_of != generation()) {  // the ring of a child of fork() has none of them
    places_of = generation();
    wait_place_count = latest_place = 0;
  }
  const std::uint32_t number = find_site(span);
  PyErr_Clear();
  return number;
}

}  // namespace flatout::inject
