#include "trace/kineto/timeline_builder.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "trace/json/scalars.h"
#include "trace/kineto/category.h"

namespace flatout::trace {
namespace {

// "stream 7" of 2021, else a number.
std::optional<std::int64_t> stream_of(const ChromeEvent& event) {
  if (event.stream) return event.stream;
  if (event.thread.number) return event.thread.number;
  constexpr std::string_view kStream = "stream ";
  const std::string_view text = event.thread.text;
  return text.starts_with(kStream) ? as_int(text.substr(kStream.size())) : std::nullopt;
}

std::string vendor_of(const std::string& device) {
  if (device.contains("AMD")) return "amd";
  return device.contains("Intel") ? "intel" : "nvidia";
}

std::optional<std::pair<std::int64_t, std::int64_t>> times_of(const ChromeEvent& event) {
  if (!event.begin_ns) return std::nullopt;
  if (event.phase == 'i') return std::pair(*event.begin_ns, *event.begin_ns);
  if (event.phase != 'X') return std::nullopt;
  const std::int64_t length = std::max<std::int64_t>(0, event.duration_ns.value_or(0));
  if (length >
      std::numeric_limits<std::int64_t>::max() - std::max<std::int64_t>(0, *event.begin_ns)) {
    return std::nullopt;
  }
  return std::pair(*event.begin_ns, *event.begin_ns + length);
}

}  // namespace

bool TimelineBuilder::event(const ChromeEvent& event) {
  if (event.phase == 'i' && event.name == "[memory]") add_memory(event);
  const EventKind kind = event_kind(event.category);
  // Moments have a phase of their own.
  const bool known = event.phase == (kind == EventKind::kMark ? 'i' : 'X');
  has_read_ = has_read_ || (known && kind != EventKind::kOther);
  switch (known ? kind : EventKind::kOther) {
    case EventKind::kKernel:
      add_activity(event, run::ActivityKind::kKernel);
      break;
    case EventKind::kCopy:
      add_activity(event, run::ActivityKind::kCopy);
      break;
    case EventKind::kMemset:
      add_activity(event, run::ActivityKind::kMemset);
      break;
    case EventKind::kCall:
      add_span(event, run::HostSpanKind::kCall);
      break;
    case EventKind::kOp:
      add_span(event, run::HostSpanKind::kOp);
      if (!event.op.empty()) add_op_work(event);
      break;
    case EventKind::kPython:
      add_span(event, run::HostSpanKind::kPython);
      break;
    case EventKind::kAnnotation:
      add_span(event, run::HostSpanKind::kAnnotation);
      break;
    case EventKind::kRange:
      add_span(event, run::HostSpanKind::kRange);
      break;
    case EventKind::kMark:
      add_span(event, run::HostSpanKind::kMark);
      break;
    case EventKind::kOther:
      unread_.add(event);
      break;
  }
  return parts_.has_room();
}

void TimelineBuilder::add_activity(const ChromeEvent& event, run::ActivityKind kind) {
  const auto times = times_of(event);
  const auto device = within<std::uint16_t>(event.device ? event.device : event.process.number,
                                            std::numeric_limits<std::uint16_t>::max());
  if (!times || !device) return parts_.leave_out();
  run::DeviceActivity activity;
  activity.begin_ns = times->first;
  activity.end_ns = times->second;
  activity.correlation = event.correlation.value_or(0);
  activity.bytes = event.bytes.value_or(run::DeviceActivity::kUnknownBytes);
  activity.name = parts_.name(event.name);
  activity.stream =
      within<std::uint32_t>(stream_of(event), std::numeric_limits<std::uint32_t>::max())
          .value_or(0);
  activity.device = *device;
  activity.context =
      within<std::uint16_t>(event.context, std::numeric_limits<std::uint16_t>::max()).value_or(0);
  set_graph(event.graph.value_or(0), event.graph_node.value_or(0), activity);
  activity.kind = kind;
  if (kind == run::ActivityKind::kCopy) {
    activity.direction = copy_direction(event.name);
    activity.host_memory = copy_memory(event.name);
  }
  // Devices' activities belong to the process that called the runtime most: a trace is of one.
  parts_.add_activity(TraceParts::kMainProcess, activity);
  if (!event.collective.operation.empty()) add_collective(event.collective, activity);
}

void TimelineBuilder::add_collective(const ChromeCollective& said,
                                     const run::DeviceActivity& kernel) {
  run::CollectiveFact fact;
  fact.begin_ns = kernel.begin_ns;
  fact.stream = kernel.stream;
  fact.device = kernel.device;
  fact.operation = parts_.name(said.operation);
  if (!said.group.empty()) fact.group = parts_.name(said.group + " " + said.group_ranks);
  fact.sequence = said.sequence.value_or(-1);
  fact.elements = said.elements.value_or(run::CollectiveFact::kUnknownElements);
  parts_.add_collective(TraceParts::kMainProcess, fact);
}

void TimelineBuilder::add_span(const ChromeEvent& event, run::HostSpanKind kind) {
  const auto times = times_of(event);
  const auto pid = within<pid_t>(event.process.number, std::numeric_limits<pid_t>::max());
  if (!times || !pid) return parts_.leave_out();
  const bool call = kind == run::HostSpanKind::kCall;
  parts_.add_span(*pid, event.thread.text,
                  static_cast<std::int32_t>(event.thread.number.value_or(0)),
                  {.begin_ns = times->first,
                   .end_ns = times->second,
                   .correlation = call ? event.correlation.value_or(0) : 0,
                   .name = parts_.name(event.name),
                   .kind = kind});
}

void TimelineBuilder::add_op_work(const ChromeEvent& event) {
  const auto cost = costs_.of(event.name, parts_.name(event.name), event.op);
  const auto times = times_of(event);
  const auto pid = within<pid_t>(event.process.number, std::numeric_limits<pid_t>::max());
  if (!cost || !times || !pid) return;
  parts_.add_op_work(*pid, event.thread.text,
                     {.begin_ns = times->first, .end_ns = times->second, .cost = *cost});
}

void TimelineBuilder::add_memory(const ChromeEvent& event) {
  constexpr std::int64_t kGpu = 1;  // c10::DeviceType: CUDA, as which HIP shows itself, too
  const auto device = within<int>(event.memory.device, std::numeric_limits<std::uint16_t>::max());
  if (event.memory.device_type != kGpu || !device || !event.begin_ns) return;
  parts_.add_memory(*device, *event.begin_ns, event.memory.allocated, event.memory.reserved);
}

void TimelineBuilder::device(const ChromeDevice& said) {
  const auto index = within<int>(said.index, std::numeric_limits<std::uint16_t>::max());
  if (!index) return;
  run::Device device;
  device.index = *index;
  device.name = said.name;
  device.vendor = vendor_of(said.name);
  device.visible_index = *index;
  device.memory_total_bytes = said.memory_bytes;
  if (said.capability_major && said.capability_minor) {
    device.capability =
        std::to_string(*said.capability_major) + "." + std::to_string(*said.capability_minor);
  }
  parts_.add_device(device);
}

void TimelineBuilder::process(const ChromeProcess& said) {
  parts_.set_rank(within<int>(said.rank, std::numeric_limits<int>::max()).value_or(-1));
  parts_.set_world_size(within<int>(said.world_size, std::numeric_limits<int>::max()));
  parts_.set_start(said.base_ns.value_or(0));
}

}  // namespace flatout::trace
