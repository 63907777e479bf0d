#include "data/device/fake/fake_cuda.h"

namespace flatout::data::device::fake {

Machine& machine() {
  static Machine* const one = new Machine;  // outlives whatever a program ends with
  return *one;
}

bool inside(const std::map<std::uintptr_t, std::size_t>& blocks, std::uintptr_t address,
            std::size_t bytes) {
  auto behind = blocks.upper_bound(address);
  if (behind == blocks.begin()) return false;
  const auto& [begin, size] = *--behind;
  return address - begin <= size && bytes <= size - (address - begin);
}

std::shared_ptr<Stream> Machine::find(CudaStream stream) {
  const auto number = reinterpret_cast<std::uintptr_t>(stream);
  if (number <= kPerThreadStream) return legacy;
  const auto found = streams.find(stream);
  return found == streams.end() ? nullptr : found->second;
}

void Machine::ask(const std::shared_ptr<Stream>& stream, std::function<void()> operation) {
  if (stream == legacy) {  // behind whatever every blocking stream was given
    for (const auto& [handle, other] : streams) {
      if (other->blocking) {
        legacy->queue.push_back([this, mark = Mark{other, other->asked}] { run(mark); });
        ++legacy->asked;
      }
    }
  }
  stream->queue.push_back(std::move(operation));
  ++stream->asked;
}

void Machine::run(const Mark& until) {
  if (until.stream == nullptr) return;
  Stream& stream = *until.stream;
  while (stream.done < until.behind && !stream.queue.empty()) {
    const auto operation = std::move(stream.queue.front());
    stream.queue.pop_front();
    ++clock;
    operation();
    ++stream.done;
  }
}

CudaCode Machine::fault(const char* what) {
  std::fprintf(stderr, "fake_cuda: %s\n", what);
  ++counts.faults;
  return CudaCode::kInvalidValue;
}

CudaCode Machine::enter(const char* name) {
  const int call = ++calls[name];
  const char* at = std::getenv("FAKE_CUDA_FAIL");
  const std::size_t length = std::strlen(name);
  for (; at != nullptr && *at != '\0'; at = std::strchr(at, ','), at = at ? at + 1 : at) {
    if (std::strncmp(at, name, length) != 0 || at[length] != '=') continue;
    char* end = nullptr;
    const auto code = static_cast<int>(std::strtol(at + length + 1, &end, 10));
    const long from = *end == '@' ? std::strtol(end + 1, nullptr, 10) : 1;
    if (call >= from) return static_cast<CudaCode>(code);
  }
  return CudaCode::kSuccess;
}

}  // namespace flatout::data::device::fake
