#include "inject/allocator_samples.h"

#include "inject/callback_error.h"
#include "inject/emit.h"
#include "inject/tracers.h"

namespace flatout::inject {
namespace {

constexpr std::uint32_t kMostDevices = 32;  // a process on more is sampled on the first ones
// Once one is used, those that are not are asked at each so many samples: most processes see
// several and use one.
constexpr std::uint32_t kLookEvery = 16;

AllocatorNeeds torch_allocator{};
bool allocator_on = false;
std::int64_t due_ns = 0;
std::uint32_t asked_in = 0;  // generation() that `allocator_devices` is of
std::uint32_t allocator_devices = 0;
std::uint32_t samples_taken = 0;
std::uint32_t used_devices = 0;  // bits: something was reserved there

// Some milliseconds coarse, and four times cheaper than the exact one: asked at each step.
std::int64_t coarse_ns() {
  timespec ts{};
  ::clock_gettime(CLOCK_MONOTONIC_COARSE, &ts);
  return static_cast<std::int64_t>(ts.tv_sec) * 1'000'000'000 + ts.tv_nsec;
}

void switch_allocator_off(PyObject* why) {
  allocator_on = false;
  const Unseen unseen;
  const Ref done(PyObject_CallFunctionObjArgs(torch_allocator.say_problem,
                                              why != nullptr ? why : Py_None, nullptr));
  if (!done) drop_callback_error();
}

// An error of Python stands: one of ours, or torch's, ends the samples, one of a handler of a
// signal goes on to the program.
void allocator_failed() {
  const Ref error = take_callback_error();
  if (error) switch_allocator_off(error.get());
}

// CUDA is at work in this process, and its allocator is one to ask.
bool asked_allocator() {
  if (asked_in == generation()) return allocator_devices > 0;
  const Uncompiled uncompiled;
  const Ref answer(PyObject_CallFunctionObjArgs(torch_allocator.is_initialized, nullptr));
  if (!answer) allocator_failed();
  if (answer.get() != Py_True)
    return false;  // as in a child that was forked after CUDA had started
  const Ref count(PyObject_CallFunctionObjArgs(torch_allocator.devices, nullptr));
  const long devices = count ? PyLong_AsLong(count.get()) : -1;
  if (PyErr_Occurred() != nullptr) {
    allocator_failed();
    return false;
  }
  asked_in = generation();
  used_devices = samples_taken = 0;
  allocator_devices = devices <= 0 ? 0
                      : static_cast<std::uint64_t>(devices) < kMostDevices
                          ? static_cast<std::uint32_t>(devices)
                          : kMostDevices;
  return allocator_devices > 0;
}

PyObject* dict_item(PyObject* dict, const char* key) {  // borrowed, nullptr: it is not there
  return dict != nullptr && PyDict_Check(dict) ? PyDict_GetItemString(dict, key) : nullptr;
}

bool whole_number(PyObject* number, std::uint64_t* out) {
  if (number == nullptr || !PyLong_Check(number)) return false;
  const long long value = PyLong_AsLongLong(number);
  if (value < 0) {
    PyErr_Clear();
    return false;
  }
  *out = static_cast<std::uint64_t>(value);
  return true;
}

// Of all pools, as memory_stats() names it.
bool read_stat(PyObject* stats, const char* name, std::uint64_t* now, std::uint64_t* peak) {
  PyObject* all = dict_item(dict_item(stats, name), "all");
  return whole_number(dict_item(all, "current"), now) && whole_number(dict_item(all, "peak"), peak);
}

std::uint64_t read_count(PyObject* stats, const char* name) {
  std::uint64_t count = 0;
  return whole_number(dict_item(stats, name), &count) ? count : wire::kUnknownCount;
}

void sample_device(std::uint32_t device) {
  const Ref number(PyLong_FromUnsignedLong(device));
  const Ref stats(
      number ? PyObject_CallFunctionObjArgs(torch_allocator.memory_stats, number.get(), nullptr)
             : nullptr);
  if (!stats) {
    allocator_failed();
    return;
  }
  wire::AllocatorRecord record{};
  record.device = device;
  if (!read_stat(stats.get(), "allocated_bytes", &record.allocated_bytes,
                 &record.allocated_peak_bytes) ||
      !read_stat(stats.get(), "reserved_bytes", &record.reserved_bytes,
                 &record.reserved_peak_bytes)) {
    const Ref why(PyUnicode_FromString("this release of PyTorch counts it in another way"));
    PyErr_Clear();
    switch_allocator_off(why.get());
    return;
  }
  // With PYTORCH_NO_CUDA_MEMORY_CACHING it counts nothing: that is no 0.
  const std::uint32_t bit = 1U << device;
  if (record.reserved_bytes == 0 && (used_devices & bit) == 0) return;
  used_devices |= bit;
  record.retries = read_count(stats.get(), "num_alloc_retries");
  record.ooms = read_count(stats.get(), "num_ooms");
  emit_allocator(record);
}

void sample_devices() {
  if (!asked_allocator()) return;
  const bool all = samples_taken++ % kLookEvery == 0 || used_devices == 0;
  for (std::uint32_t i = 0; allocator_on && i < allocator_devices; ++i) {
    if (all || (used_devices >> i & 1U) != 0) sample_device(i);
  }
}

}  // namespace

void set_allocator(const AllocatorNeeds& needs) {
  torch_allocator = {new_ref(needs.is_initialized), new_ref(needs.devices),
                     new_ref(needs.memory_stats), new_ref(needs.say_problem)};
  allocator_on = true;
}

void sample_allocator_if_due() {
  if (!allocator_on) return;
  const std::int64_t now = coarse_ns();
  if (now < due_ns) return;
  due_ns = now + kAllocatorSampleNs;
  sample_allocator();
}

void sample_allocator() {
  if (!allocator_on) return;
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  sample_devices();
  PyErr_Restore(type, value, traceback);
}

}  // namespace flatout::inject
