// One event of a trace in Chrome's format, as PyTorch's profiler (Kineto) and others write it.
// https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU describes it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace flatout::trace {

// A process or thread of an event: a number, or a text such as "stream 7".
struct TrackId {
  std::optional<std::int64_t> number;  // also of a number in quotes
  std::string text;                    // as written
};

// What PyTorch writes beside a collective's kernel.
struct ChromeCollective {
  std::string operation;    // "allreduce"; "" = the event is none
  std::string group;        // name of the process group
  std::string group_ranks;  // "[0, 1]"
  std::optional<std::int64_t> sequence;
  std::optional<std::uint64_t> elements;
};

// What PyTorch writes beside an op where shapes are recorded: as it stands in the file, "" =
// nothing.
struct ChromeOp {
  std::string dims;      // [[8, 16], [16, 4], []]; of a list of tensors one level more
  std::string strides;   // likewise
  std::string types;     // ["float", "float", "Scalar"]
  std::string concrete;  // ["", "", "1"]
  bool empty() const { return dims.empty(); }
};

// What PyTorch's allocator says of itself when it gives or takes memory.
struct ChromeMemory {
  std::optional<std::int64_t> device_type, device;  // 1 = CUDA or HIP
  std::optional<std::uint64_t> allocated, reserved;
};

// What is absent stands as an empty optional, or "".
struct ChromeEvent {
  char phase = 0;        // 'X' a span, 'B' and 'E' its ends, 'M' metadata, others
  std::string category;  // "kernel"
  std::string name;
  TrackId process, thread;
  std::optional<std::int64_t> begin_ns;
  std::optional<std::int64_t> duration_ns;
  // Of its args.
  std::optional<std::int64_t> device;
  std::optional<std::int64_t> stream;
  std::optional<std::int64_t> context;  // of CUDA
  std::optional<std::uint64_t> graph, graph_node;
  std::optional<std::uint64_t> correlation;
  std::optional<std::uint64_t> external_id;  // ties an op to the kernels that it launched
  std::optional<std::uint64_t> bytes;
  ChromeCollective collective;
  ChromeOp op;
  ChromeMemory memory;
  std::string labels;      // of metadata
  std::string label_name;  // of metadata: "name"
};

// What a trace says of a device.
struct ChromeDevice {
  std::optional<std::int64_t> index;
  std::string name;
  std::optional<std::int64_t> memory_bytes;
  std::optional<std::int64_t> capability_major, capability_minor;
};

// What a trace says of the process that it was recorded in.
struct ChromeProcess {
  std::optional<std::int64_t> rank, world_size;
  std::optional<std::int64_t> base_ns;  // that times count from, since 1970
};

// Takes what is read, in the order of the file.
class ChromeSink {
 public:
  virtual ~ChromeSink() = default;
  // False = it can hold no more: the reading ends.
  virtual bool event(const ChromeEvent& event) = 0;  // valid during the call
  virtual void device(const ChromeDevice& device) = 0;
  virtual void process(const ChromeProcess& process) = 0;  // once, at the end
};

}  // namespace flatout::trace
