// The half of the codec that is JSON.
#include <utility>

#include "store/codec.h"
#include "store/json_fields.h"

namespace flatout::store {

using base::Result;

std::string encode_info(const run::RunInfo& info) {
  return dump({{"id", info.id},
               {"name", info.name},
               {"command", info.command},
               {"cwd", info.cwd},
               {"host", info.host},
               {"started_wall_ns", info.started_wall_ns},
               {"started_ns", info.started_ns},
               {"rate_hz", info.rate_hz},
               {"recorder_pid", info.recorder_pid},
               {"recorder_start_ticks", info.recorder_start_ticks},
               {"program_pid", info.program_pid},
               {"program_start_ticks", info.program_start_ticks},
               {"boot_id", info.boot_id},
               {"ring_dir", info.ring_dir},
               {"hooks_off", info.hooks_off},
               {"cpus", info.cpus},
               {"cpu_limit", info.cpu_limit},
               {"cpu_model", info.cpu_model},
               {"memory_bytes", info.memory_bytes},
               {"memory_limit_bytes", info.memory_limit_bytes},
               {"flatout_version", info.flatout_version}});
}

Result<run::RunInfo> decode_info(std::string_view payload) {
  run::RunInfo info;
  Fields fields(payload, "info");
  fields.require("id", info.id);
  fields.read("name", info.name);
  fields.read("command", info.command);
  fields.read("cwd", info.cwd);
  fields.read("host", info.host);
  fields.require("started_wall_ns", info.started_wall_ns);
  fields.require("started_ns", info.started_ns);
  fields.read("rate_hz", info.rate_hz);
  fields.read("recorder_pid", info.recorder_pid);
  fields.read("recorder_start_ticks", info.recorder_start_ticks);
  fields.read("program_pid", info.program_pid);
  fields.read("program_start_ticks", info.program_start_ticks);
  fields.read("boot_id", info.boot_id);
  fields.read("ring_dir", info.ring_dir);
  fields.read("hooks_off", info.hooks_off);
  fields.read("cpus", info.cpus);
  fields.read("cpu_limit", info.cpu_limit);
  fields.read("cpu_model", info.cpu_model);
  fields.read("memory_bytes", info.memory_bytes);
  fields.read("memory_limit_bytes", info.memory_limit_bytes);
  fields.read("flatout_version", info.flatout_version);
  return fields.done(std::move(info));
}

std::string encode_proc(const run::Proc& proc) {
  return dump({{"pid", proc.pid},
               {"parent", proc.parent},
               {"start_ticks", proc.start_ticks},
               {"seen_ns", proc.seen_ns},
               {"gone_ns", proc.gone_ns},
               {"role", run::role_name(proc.role)},
               {"rank", proc.rank},
               {"worker_id", proc.worker_id},
               {"command", proc.command}});
}

Result<run::Proc> decode_proc(std::string_view payload) {
  run::Proc proc;
  Fields fields(payload, "proc");
  fields.require("pid", proc.pid);
  fields.read("parent", proc.parent);
  fields.read("start_ticks", proc.start_ticks);
  fields.read("seen_ns", proc.seen_ns);
  fields.read("gone_ns", proc.gone_ns);
  fields.read("role", proc.role);
  fields.read("rank", proc.rank);
  fields.read("worker_id", proc.worker_id);
  fields.read("command", proc.command);
  return fields.done(std::move(proc));
}

std::string encode_lane(pid_t pid, const run::Lane& lane) {
  return dump({{"pid", pid}, {"lane", lane.lane}, {"tid", lane.tid}, {"is_main", lane.is_main}});
}

Result<OfProcess<run::Lane>> decode_lane(std::string_view payload) {
  OfProcess<run::Lane> lane;
  Fields fields(payload, "lane");
  fields.require("pid", lane.pid);
  fields.require("lane", lane.value.lane);
  fields.read("tid", lane.value.tid);
  fields.read("is_main", lane.value.is_main);
  return fields.done(lane);
}

// The fact's own JSON stays a string: it comes back byte for byte.
std::string encode_fact(pid_t pid, const run::Fact& fact) {
  return dump({{"pid", pid}, {"t_ns", fact.t_ns}, {"key", fact.key}, {"json", fact.json}});
}

Result<OfProcess<run::Fact>> decode_fact(std::string_view payload) {
  OfProcess<run::Fact> fact;
  Fields fields(payload, "fact");
  fields.require("pid", fact.pid);
  fields.read("t_ns", fact.value.t_ns);
  fields.require("key", fact.value.key);
  fields.require("json", fact.value.json);
  return fields.done(std::move(fact));
}

std::string encode_counts(const run::RingCounts& counts) {
  return dump({{"events", counts.events}, {"dropped", counts.dropped}});
}

Result<run::RingCounts> decode_counts(std::string_view payload) {
  run::RingCounts counts;
  Fields fields(payload, "counts");
  fields.require("events", counts.events);
  fields.require("dropped", counts.dropped);
  return fields.done(counts);
}

std::string encode_end(const run::RunEnd& end) {
  return dump({{"t_ns", end.t_ns},
               {"exit_code", end.exit_code},
               {"signal", end.signal},
               {"survivors", end.survivors}});
}

Result<run::RunEnd> decode_end(std::string_view payload) {
  run::RunEnd end;
  Fields fields(payload, "end");
  fields.require("t_ns", end.t_ns);
  fields.require("exit_code", end.exit_code);
  fields.require("signal", end.signal);
  fields.read("survivors", end.survivors);
  return fields.done(std::move(end));
}

std::string encode_dropped(const Dropped& dropped) {
  return dump({{"records", dropped.records}, {"bytes", dropped.bytes}});
}

Result<Dropped> decode_dropped(std::string_view payload) {
  Dropped dropped;
  Fields fields(payload, "dropped");
  fields.require("records", dropped.records);
  fields.require("bytes", dropped.bytes);
  return fields.done(dropped);
}

std::string encode_recovered(const Recovered& recovered) {
  return dump({{"wall_ns", recovered.wall_ns}});
}

Result<Recovered> decode_recovered(std::string_view payload) {
  Recovered recovered;
  Fields fields(payload, "recovered");
  fields.require("wall_ns", recovered.wall_ns);
  return fields.done(recovered);
}

}  // namespace flatout::store
