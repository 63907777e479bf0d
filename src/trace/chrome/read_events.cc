#include "trace/chrome/read_events.h"

#include <algorithm>
#include <utility>

#include "trace/json/json_reader.h"
#include "trace/json/scalars.h"

namespace flatout::trace {
namespace {

using Kind = JsonReader::Kind;

// A kernel's name may be a page of template arguments; none that differs later has been seen.
constexpr std::size_t kLongestName = 2048;

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
      if (key == "traceEvents") {
        read_events();
      } else if (key == "deviceProperties") {
        read_devices();
      } else if (key == "distributedInfo") {
        read_distributed();
      } else if (key == "baseTimeNanoseconds") {
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
      if (key == "ph") {
        const std::string_view phase = json_.text();
        event_.phase = phase.empty() ? '\0' : phase.front();
      } else if (key == "cat") {
        assign(event_.category, json_.text());
      } else if (key == "name") {
        assign(event_.name, json_.text());
      } else if (key == "pid") {
        read_track(event_.process);
      } else if (key == "tid") {
        read_track(event_.thread);
      } else if (key == "ts") {
        event_.begin_ns = microseconds_as_ns(json_.text());
      } else if (key == "dur") {
        event_.duration_ns = microseconds_as_ns(json_.text());
      } else if (key == "args" && json_.peek() == Kind::kObject) {
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
          &event_.collective.group_ranks}) {
      text->clear();
    }
    event_.process.number = event_.thread.number = event_.begin_ns = event_.duration_ns = {};
    event_.device = event_.stream = event_.context = {};
    event_.graph = event_.graph_node = {};
    event_.correlation = event_.external_id = event_.bytes = event_.collective.elements = {};
    event_.collective.sequence = {};
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
      if (key == "device") {
        event_.device = as_int(json_.text());
      } else if (key == "stream") {
        event_.stream = as_int(json_.text());
      } else if (key == "correlation") {
        event_.correlation = as_unsigned(json_.text());
      } else if (key == "context") {
        event_.context = as_int(json_.text());
      } else if (key == "graph id") {
        event_.graph = as_unsigned(json_.text());
      } else if (key == "graph node id") {
        event_.graph_node = as_unsigned(json_.text());
      } else if (key == "External id" || key == "external id") {
        event_.external_id = as_unsigned(json_.text());
      } else if (key == "bytes") {
        event_.bytes = as_unsigned(json_.text());
      } else if (key == "name") {
        assign(event_.label_name, json_.text());
      } else if (key == "Collective name") {
        assign(event_.collective.operation, json_.text());
      } else if (key == "Process Group Name") {
        assign(event_.collective.group, json_.text());
      } else if (key == "Process Group Ranks") {
        assign(event_.collective.group_ranks, json_.text());
      } else if (key == "Seq") {
        event_.collective.sequence = as_int(json_.text());
      } else if (key == "In msg nelems") {
        event_.collective.elements = as_unsigned(json_.text());
      } else if (key == "flatout_thread") {
        assign(own_thread_, json_.text());
      } else if (key == "labels") {
        assign(event_.labels, json_.text());
      } else {
        json_.skip();
      }
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
    if (key == "id") {
      device.index = as_int(json_.text());
    } else if (key == "name") {
      assign(device.name, json_.text());
    } else if (key == "totalGlobalMem") {
      device.memory_bytes = as_int(json_.text());
    } else if (key == "computeMajor") {
      device.capability_major = as_int(json_.text());
    } else if (key == "computeMinor") {
      device.capability_minor = as_int(json_.text());
    } else {
      json_.skip();
    }
  }

  void read_distributed() {
    if (json_.peek() != Kind::kObject) return json_.skip();
    json_.enter();
    while (json_.next_key()) {
      if (json_.key() == "rank") {
        process_.rank = as_int(json_.text());
      } else if (json_.key() == "world_size") {
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
