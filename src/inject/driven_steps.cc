#include "inject/driven_steps.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>
#include <ctime>

#include "inject/blocks.h"
#include "inject/callback_error.h"
#include "inject/process_state.h"
#include "inject/steps.h"
#include "inject/tracers.h"

namespace flatout::inject {
namespace {

constexpr long kRestPeriodNs = 2'000'000;
constexpr int kSleepsOfARest =
    25;  // then Python looks for signals, which may have come before the sleep

enum class Page : std::uint8_t { kNotAsked, kAsked, kOurs, kNotOurs };

Blocks blocks;
Page page_state = Page::kNotAsked;
std::uint32_t page_of = 0;  // generation() that `page_state` is of: a child of fork() has another
bool resting = false;
char page_path[PATH_MAX];
PyObject* put_callback = nullptr;
PyObject* settled_callback = nullptr;
PyObject* outcomes_callback = nullptr;

void write_answer(wire::ControlPage& page, PyObject* text) {
  const Ref bytes(text != nullptr && PyUnicode_Check(text) ? PyUnicode_AsUTF8String(text)
                                                           : nullptr);
  char* data = nullptr;
  Py_ssize_t size = 0;
  if (!bytes || PyBytes_AsStringAndSize(bytes.get(), &data, &size) != 0) {
    PyErr_Clear();
    size = 0;
  }
  if (size > static_cast<Py_ssize_t>(wire::kMaxControlText)) size = 0;  // half of a text is none
  if (size > 0) std::memcpy(page.answer, data, static_cast<std::size_t>(size));
  page.answer_bytes = static_cast<std::uint32_t>(size);
}

// None: done. A text: why not.
bool put(const char* text, std::uint32_t bytes, wire::ControlPage& page) {
  const Unseen unseen;
  const Ref settings(PyUnicode_FromStringAndSize(text, static_cast<Py_ssize_t>(bytes)));
  const Ref training(PyLong_FromUnsignedLong(page.training));
  const Ref why(settings && training ? PyObject_CallFunctionObjArgs(put_callback, settings.get(),
                                                                    training.get(), nullptr)
                                     : nullptr);
  if (!why) drop_callback_error();
  if (why.get() == Py_None) return true;
  write_answer(page, why.get());
  return false;
}

void settled() {
  const Unseen unseen;
  const Ref done(PyObject_CallFunctionObjArgs(settled_callback, nullptr));
  if (!done) drop_callback_error();
}

void outcomes(wire::ControlPage& page) {
  const Unseen unseen;
  const Ref text(PyObject_CallFunctionObjArgs(outcomes_callback, nullptr));
  if (!text) drop_callback_error();
  write_answer(page, text.get());
}

// Until something else is asked for, or a signal has come.
void sleep_while(const wire::ControlPage& page, std::uint32_t taken) {
  const timespec period{.tv_sec = 0, .tv_nsec = kRestPeriodNs};
  for (int i = 0; i < kSleepsOfARest; ++i) {
    if (page.asked.load(std::memory_order_acquire) != taken) return;
    if (::nanosleep(&period, nullptr) != 0 && errno == EINTR) return;
  }
}

// Other threads of the program go on meanwhile, and handlers of signals run as ever. Where one
// raises (Ctrl-C), the program goes on at once, and meets that.
void rest(wire::ControlPage& page, std::uint32_t taken) {
  resting = true;
  bool raised = false;
  while (!raised && page.asked.load(std::memory_order_acquire) == taken) {
    Py_BEGIN_ALLOW_THREADS;
    sleep_while(page, taken);
    Py_END_ALLOW_THREADS;
    raised = PyErr_CheckSignals() != 0;
    if (raised) raise_again_later();
  }
  resting = false;
}

wire::ControlPage* mapped_page() {
  const int fd = ::open(page_path, O_RDWR | O_CLOEXEC);
  if (fd < 0) return nullptr;
  struct stat status{};
  const bool whole =
      ::fstat(fd, &status) == 0 && status.st_size >= static_cast<off_t>(sizeof(wire::ControlPage));
  void* const memory =
      whole ? ::mmap(nullptr, sizeof(wire::ControlPage), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
            : MAP_FAILED;
  ::close(fd);
  if (memory == MAP_FAILED) return nullptr;
  auto* const page = static_cast<wire::ControlPage*>(memory);
  if (page->magic == wire::kControlMagic && page->version == wire::kControlVersion) return page;
  ::munmap(memory, sizeof(wire::ControlPage));
  return nullptr;
}

void look_for_page() {
  page_of = generation();
  page_state = Page::kNotOurs;
  wire::ControlPage* const page = mapped_page();
  if (page == nullptr) return;
  std::int32_t nobody = 0;
  if (!page->pid.compare_exchange_strong(nobody, static_cast<std::int32_t>(::getpid()))) {
    page->others.fetch_add(1);
    ::munmap(page, sizeof(wire::ControlPage));
    return;
  }
  page_state = Page::kOurs;
  blocks.drive_by(*page, {put, settled, outcomes, rest});
}

}  // namespace

DrivenStep driven_step_closed() {
  if (page_state == Page::kAsked) look_for_page();
  if (page_state != Page::kOurs || page_of != generation() || !blocks.driven()) {
    return DrivenStep::kNotDriven;
  }
  if (resting) return DrivenStep::kGoOn;  // one thread rests, and another one has a step of its own
  return blocks.step_closed(now_ns) ? DrivenStep::kEnd : DrivenStep::kGoOn;
}

void disturb_block() { blocks.disturbed(); }

PyObject* py_disturb_block(PyObject*, PyObject*) {
  disturb_block();
  Py_RETURN_NONE;
}

PyObject* py_drive_steps(PyObject*, PyObject* args) {
  const char* path = nullptr;
  PyObject *put_with = nullptr, *settled_with = nullptr, *outcomes_with = nullptr;
  if (!PyArg_ParseTuple(args, "sOOO", &path, &put_with, &settled_with, &outcomes_with)) {
    return nullptr;
  }
  if (std::strlen(path) >= sizeof page_path) {
    PyErr_SetString(PyExc_ValueError, "drive_steps: the path is too long");
    return nullptr;
  }
  std::strcpy(page_path, path);
  put_callback = new_ref(put_with);
  settled_callback = new_ref(settled_with);
  outcomes_callback = new_ref(outcomes_with);
  page_state = Page::kAsked;
  drive_steps_by(driven_step_closed, disturb_block);
  Py_RETURN_NONE;
}

}  // namespace flatout::inject
