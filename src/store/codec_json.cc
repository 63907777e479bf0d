// The half of the codec that is JSON.
#include "store/codec.h"
#include "store/field_list.h"

namespace flatout::store {

using base::Result;

namespace {

constexpr auto kInfoFields = [](auto& info, auto field) {
  field("id", info.id, kNeeded);
  field("name", info.name);
  field("command", info.command);
  field("cwd", info.cwd);
  field("host", info.host);
  field("started_wall_ns", info.started_wall_ns, kNeeded);
  field("started_ns", info.started_ns, kNeeded);
  field("rate_hz", info.rate_hz);
  field("recorder_pid", info.recorder_pid);
  field("recorder_start_ticks", info.recorder_start_ticks);
  field("program_pid", info.program_pid);
  field("program_start_ticks", info.program_start_ticks);
  field("boot_id", info.boot_id);
  field("ring_dir", info.ring_dir);
  field("hooks_off", info.hooks_off);
  field("cpus", info.cpus);
  field("cpu_limit", info.cpu_limit);
  field("cpu_model", info.cpu_model);
  field("cpu_bf16", info.cpu_bf16);
  field("memory_bytes", info.memory_bytes);
  field("memory_limit_bytes", info.memory_limit_bytes);
  field("flatout_version", info.flatout_version);
  field("plan", info.plan_json);
  field("parent", info.parent);
};

constexpr auto kProcFields = [](auto& proc, auto field) {
  field("pid", proc.pid, kNeeded);
  field("parent", proc.parent);
  field("start_ticks", proc.start_ticks);
  field("seen_ns", proc.seen_ns);
  field("gone_ns", proc.gone_ns);
  field("role", proc.role);
  field("rank", proc.rank);
  field("worker_id", proc.worker_id);
  field("command", proc.command);
};

constexpr auto kLaneFields = [](auto& lane, auto field) {
  field("pid", lane.pid, kNeeded);
  field("lane", lane.value.lane, kNeeded);
  field("tid", lane.value.tid);
  field("is_main", lane.value.is_main);
};

// The fact's own JSON stays a string: it comes back byte for byte.
constexpr auto kFactFields = [](auto& fact, auto field) {
  field("pid", fact.pid, kNeeded);
  field("t_ns", fact.value.t_ns);
  field("key", fact.value.key, kNeeded);
  field("json", fact.value.json, kNeeded);
};

constexpr auto kCountsFields = [](auto& counts, auto field) {
  field("events", counts.events, kNeeded);
  field("dropped", counts.dropped, kNeeded);
  field("trace_events", counts.trace_events);
  field("trace_dropped", counts.trace_dropped);
};

constexpr auto kEndFields = [](auto& end, auto field) {
  field("t_ns", end.t_ns, kNeeded);
  field("exit_code", end.exit_code, kNeeded);
  field("signal", end.signal, kNeeded);
  field("survivors", end.survivors);
  field("unseen", end.unseen);
};

constexpr auto kDroppedFields = [](auto& dropped, auto field) {
  field("records", dropped.records, kNeeded);
  field("bytes", dropped.bytes, kNeeded);
};

constexpr auto kRecoveredFields = [](auto& recovered, auto field) {
  field("wall_ns", recovered.wall_ns, kNeeded);
};

}  // namespace

std::string encode_info(const run::RunInfo& info) { return dump(write_fields(info, kInfoFields)); }
Result<run::RunInfo> decode_info(std::string_view payload) {
  return read_fields<run::RunInfo>(payload, "info", kInfoFields);
}

std::string encode_proc(const run::Proc& proc) { return dump(write_fields(proc, kProcFields)); }
Result<run::Proc> decode_proc(std::string_view payload) {
  return read_fields<run::Proc>(payload, "proc", kProcFields);
}

std::string encode_lane(pid_t pid, const run::Lane& lane) {
  return dump(write_fields(OfProcess<run::Lane>{pid, lane}, kLaneFields));
}
Result<OfProcess<run::Lane>> decode_lane(std::string_view payload) {
  return read_fields<OfProcess<run::Lane>>(payload, "lane", kLaneFields);
}

std::string encode_fact(pid_t pid, const run::Fact& fact) {
  return dump(write_fields(OfProcess<run::Fact>{pid, fact}, kFactFields));
}
Result<OfProcess<run::Fact>> decode_fact(std::string_view payload) {
  return read_fields<OfProcess<run::Fact>>(payload, "fact", kFactFields);
}

std::string encode_counts(const run::RingCounts& counts) {
  return dump(write_fields(counts, kCountsFields));
}
Result<run::RingCounts> decode_counts(std::string_view payload) {
  return read_fields<run::RingCounts>(payload, "counts", kCountsFields);
}

std::string encode_end(const run::RunEnd& end) {
  Json fields = write_fields(end, kEndFields);
  if (!end.unseen) fields.erase("unseen");  // as before there was one
  return dump(fields);
}
Result<run::RunEnd> decode_end(std::string_view payload) {
  return read_fields<run::RunEnd>(payload, "end", kEndFields);
}

std::string encode_dropped(const Dropped& dropped) {
  return dump(write_fields(dropped, kDroppedFields));
}
Result<Dropped> decode_dropped(std::string_view payload) {
  return read_fields<Dropped>(payload, "dropped", kDroppedFields);
}

std::string encode_recovered(const Recovered& recovered) {
  return dump(write_fields(recovered, kRecoveredFields));
}
Result<Recovered> decode_recovered(std::string_view payload) {
  return read_fields<Recovered>(payload, "recovered", kRecoveredFields);
}

}  // namespace flatout::store
