#include "trace/chrome/read_events.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "trace/json/json_reader.h"
#include "trace/json/scalars.h"

namespace flatout::trace {
namespace {

using Kind = JsonReader::Kind;

// A kernel's name may be a page of template arguments; none that differs later has been seen.
constexpr std::size_t kLongestName = 2048;

// Compares words instead of calling a function: each key of each event comes by here.
template <std::size_t kSize>
[[gnu::always_inline]] inline bool is(std::string_view key, const char (&text)[kSize]) {
  return key.size() == kSize - 1 && std::memcmp(key.data(), text, kSize - 1) == 0;
}

void assign(std::string& to, std::string_view text) { to.assign(text.substr(0, kLongestName)); }

class Reader {
 public:
  Reader(ByteSource& source, ChromeSink& sink) : json_(source), sink_(sink) {}

  base::Result<ChromeEnd> read() {
    const Kind kind = json_.peek();
    if (kind == Kind::kArray) {
      read_events();
    } else if (kind == Kind::kObject) {
      read_top();
    } else if (json_.failed()) {
      return base::fail(base::ErrorCode::kInvalid, json_.error());
    } else {
      return base::fail(base::ErrorCode::kInvalid,
                        "no JSON object or array begins at byte " + std::to_string(json_.offset()));
    }
    if (!has_events_ && json_.failed()) return base::fail(base::ErrorCode::kInvalid, json_.error());
    if (!has_events_) {
      return base::fail(base::ErrorCode::kInvalid, "it has no \"traceEvents\"");
    }
    sink_.process(process_);
    end_.bytes = json_.offset();
    if (full_) {
      end_.problem = "it holds more than is read of a trace; the rest from byte " +
                     std::to_string(json_.offset()) + " on was left out";
    } else if (json_.failed()) {
      end_.problem = json_.error() + "; what came before was read";
    }
    return std::move(end_);
  }

 private:
  void read_top() {
    json_.enter();
    while (!full_ && json_.next_key()) {
      const std::string_view key = json_.key();
      if (is(key, "traceEvents")) {
        read_events();
      } else if (is(key, "deviceProperties")) {
        read_devices();
      } else if (is(key, "distributedInfo")) {
        read_distributed();
      } else if (is(key, "baseTimeNanoseconds")) {
        process_.base_ns = as_int(json_.text());
      } else {
        json_.skip();
      }
    }
  }

  void read_events() {
    if (json_.peek() != Kind::kArray) return json_.skip();
    has_events_ = true;
    json_.enter();
    while (json_.next_item()) {
      if (json_.peek() != Kind::kObject) {
        json_.skip();
        continue;
      }
      read_event();
      if (json_.failed()) return;
      ++end_.events;
      if (!sink_.event(event_)) {
        full_ = true;
        return;
      }
    }
  }

  void read_event() {
    clear_event();
    json_.enter();
    while (json_.next_key()) {
      const std::string_view key = json_.key();
      if (is(key, "ph")) {
        const std::string_view phase = json_.text();
        event_.phase = phase.empty() ? '\0' : phase.front();
      } else if (is(key, "cat")) {
        assign(event_.category, json_.text());
      } else if (is(key, "name")) {
        assign(event_.name, json_.text());
      } else if (is(key, "pid")) {
        read_track(event_.process);
      } else if (is(key, "tid")) {
        read_track(event_.thread);
      } else if (is(key, "ts")) {
        event_.begin_ns = microseconds_as_ns(json_.text());
      } else if (is(key, "dur")) {
        event_.duration_ns = microseconds_as_ns(json_.text());
      } else if (is(key, "args") && json_.peek() == Kind::kObject) {
        read_args();
      } else {
        json_.skip();
      }
    }
    if (!own_thread_.empty()) set_track(event_.thread, own_thread_);
  }

  // Keeps the memory of its texts.
  void clear_event() {
    event_.phase = 0;
    own_thread_.clear();
    for (std::string* text :
         {&event_.category, &event_.name, &event_.process.text, &event_.thread.text, &event_.labels,
          &event_.label_name, &event_.collective.operation, &event_.collective.group,
          &event_.collective.group_ranks, &event_.op.dims, &event_.op.strides, &event_.op.types,
          &event_.op.concrete}) {
      text->clear();
    }
    event_.process.number = event_.thread.number = event_.begin_ns = event_.duration_ns = {};
    event_.device = event_.stream = event_.context = {};
    event_.graph = event_.graph_node = {};
    event_.correlation = event_.external_id = event_.bytes = event_.collective.elements = {};
    event_.collective.sequence = {};
    event_.memory = {};
  }

  void read_track(TrackId& track) { set_track(track, json_.text()); }

  static void set_track(TrackId& track, std::string_view text) {
    assign(track.text, text);
    track.number = as_int(track.text);
  }

  void read_args() {
    json_.enter();
    while (json_.next_key()) {
      const std::string_view key = json_.key();
      if (is(key, "device")) {
        event_.device = as_int(json_.text());
      } else if (is(key, "stream")) {
        event_.stream = as_int(json_.text());
      } else if (is(key, "correlation")) {
        event_.correlation = as_unsigned(json_.text());
      } else if (is(key, "context")) {
        event_.context = as_int(json_.text());
      } else if (is(key, "graph id")) {
        event_.graph = as_unsigned(json_.text());
      } else if (is(key, "graph node id")) {
        event_.graph_node = as_unsigned(json_.text());
      } else if (is(key, "External id") || is(key, "external id")) {
        event_.external_id = as_unsigned(json_.text());
      } else if (is(key, "bytes")) {
        event_.bytes = as_unsigned(json_.text());
      } else if (is(key, "name")) {
        assign(event_.label_name, json_.text());
      } else if (is(key, "Collective name")) {
        assign(event_.collective.operation, json_.text());
      } else if (is(key, "Process Group Name")) {
        assign(event_.collective.group, json_.text());
      } else if (is(key, "Process Group Ranks")) {
        assign(event_.collective.group_ranks, json_.text());
      } else if (is(key, "Seq")) {
        event_.collective.sequence = as_int(json_.text());
      } else if (is(key, "In msg nelems")) {
        event_.collective.elements = as_unsigned(json_.text());
      } else if (!read_op(key) && !read_memory(key)) {
        read_rest(key);
      }
    }
  }

  // Of an op: its inputs. There are few such keys among all that are no argument of ours: their
  // first letter says so at once.
  bool read_op(std::string_view key) {
    if (key.empty() || (key.front() != 'I' && key.front() != 'C')) return false;
    std::string* text = nullptr;
    if (is(key, "Input Dims") || is(key, "Input dims")) {
      text = &event_.op.dims;
    } else if (is(key, "Input type")) {
      text = &event_.op.types;
    } else if (is(key, "Input Strides")) {
      text = &event_.op.strides;
    } else if (is(key, "Concrete Inputs")) {
      text = &event_.op.concrete;
    }
    if (text == nullptr) return false;
    text->assign(json_.raw());
    return true;
  }

  bool read_memory(std::string_view key) {
    if (key.empty() || (key.front() != 'T' && key.front() != 'D')) return false;
    if (is(key, "Total Allocated")) {
      event_.memory.allocated = as_unsigned(json_.text());
    } else if (is(key, "Total Reserved")) {
      event_.memory.reserved = as_unsigned(json_.text());
    } else if (is(key, "Device Type")) {
      event_.memory.device_type = as_int(json_.text());
    } else if (is(key, "Device Id")) {
      event_.memory.device = as_int(json_.text());
    } else {
      return false;
    }
    return true;
  }

  void read_rest(std::string_view key) {
    if (is(key, "flatout_thread")) {
      assign(own_thread_, json_.text());
    } else if (is(key, "labels")) {
      assign(event_.labels, json_.text());
    } else {
      json_.skip();
    }
  }

  void read_devices() {
    if (json_.peek() != Kind::kArray) return json_.skip();
    json_.enter();
    while (json_.next_item()) {
      if (json_.peek() != Kind::kObject) {
        json_.skip();
        continue;
      }
      ChromeDevice device;
      json_.enter();
      while (json_.next_key()) read_device_member(device);
      if (!json_.failed()) sink_.device(device);
    }
  }

  void read_device_member(ChromeDevice& device) {
    const std::string_view key = json_.key();
    if (is(key, "id")) {
      device.index = as_int(json_.text());
    } else if (is(key, "name")) {
      assign(device.name, json_.text());
    } else if (is(key, "totalGlobalMem")) {
      device.memory_bytes = as_int(json_.text());
    } else if (is(key, "computeMajor")) {
      device.capability_major = as_int(json_.text());
    } else if (is(key, "computeMinor")) {
      device.capability_minor = as_int(json_.text());
    } else {
      json_.skip();
    }
  }

  void read_distributed() {
    if (json_.peek() != Kind::kObject) return json_.skip();
    json_.enter();
    while (json_.next_key()) {
      if (is(json_.key(), "rank")) {
        process_.rank = as_int(json_.text());
      } else if (is(json_.key(), "world_size")) {
        process_.world_size = as_int(json_.text());
      } else {
        json_.skip();
      }
    }
  }

  JsonReader json_;
  ChromeSink& sink_;
  ChromeEvent event_;
  // Of a span that flatout put into another lane than its thread's, where viewers draw it.
  std::string own_thread_;
  ChromeProcess process_;
  ChromeEnd end_;
  bool has_events_ = false;
  bool full_ = false;
};

}  // namespace

base::Result<ChromeEnd> read_chrome(ByteSource& source, ChromeSink& sink) {
  return Reader(source, sink).read();
}

}  // namespace flatout::trace
