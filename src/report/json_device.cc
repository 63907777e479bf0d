// devices[] of the report.
#include "report/json_parts.h"

namespace flatout::report {
namespace {

Json utilization_json(const run::Utilization& use) {
  Json out = Json::object();
  put(out, "source", use.source);
  put(out, "mean", use.mean);
  put(out, "p10", use.p10);
  put(out, "p50", use.p50);
  put(out, "p90", use.p90);
  put(out, "pattern", use.pattern);
  put(out, "period_ms", use.period_ms);
  put(out, "duty", use.duty);
  return out;
}

Json throttled_json(const run::ThrottledReport& throttled) {
  Json out = Json::object();
  put(out, "power", throttled.power);
  put(out, "thermal", throttled.thermal);
  put(out, "other", throttled.other);
  return out;
}

Json pcie_json(const run::DeviceReport& device) {
  Json out = Json::object();
  put(out, "generation", device.pcie.generation);
  put(out, "width", device.pcie.width);
  put(out, "generation_max", device.pcie_generation_max);
  put(out, "width_max", device.pcie_width_max);
  return out;
}

Json activity_json(const run::ActivityReport& activity) {
  Json out = Json::object();
  put(out, "sm", activity.sm);
  put(out, "tensor", activity.tensor);
  put(out, "dram", activity.dram);
  put(out, "occupancy", activity.occupancy);
  return out;
}

Json others_json(const run::OthersReport& others) {
  Json out = Json::object();
  put(out, "processes", others.processes);
  put(out, "memory_used_bytes", others.memory_used_bytes);
  put(out, "utilization", others.utilization);
  return out;
}

Json idle_account_json(const run::IdleAccountReport& account) {
  Json out = Json::object();
  for (std::size_t cause = 0; cause < run::kIdleCauses; ++cause) {
    put(out, run::kIdleCauseNames[cause].data(), account.shares[cause]);
  }
  return out;
}

Json kernel_name_json(const run::KernelNameReport& kernel) {
  Json out = Json::object();
  put(out, "name", kernel.name);
  put(out, "class", kernel.kernel_class);
  out["count"] = kernel.count;
  put(out, "time_ms", kernel.time_ms);
  return out;
}

Json kernel_bucket_json(const run::KernelBucketReport& bucket) {
  Json out = Json::object();
  put(out, "from_us", bucket.from_us);
  put(out, "to_us", bucket.to_us);
  out["count"] = bucket.count;
  put(out, "time_ms", bucket.time_ms);
  return out;
}

Json kernels_json(const run::KernelsReport& kernels) {
  Json out = Json::object();
  out["count"] = kernels.count;
  put(out, "time_ms", kernels.time_ms);
  put(out, "short_share", kernels.short_share);
  put(out, "tensor_core_share", kernels.tensor_core_share);
  put(out, "graph_share", kernels.graph_share);
  out["top"] = list(kernels.top, kernel_name_json);
  if (!kernels.lengths.empty()) out["lengths"] = list(kernels.lengths, kernel_bucket_json);
  return out;
}

Json copies_json(const run::CopiesReport& copies) {
  Json out = Json::object();
  put(out, "h2d_bytes", copies.h2d_bytes);
  put(out, "h2d_ms", copies.h2d_ms);
  put(out, "pageable_share", copies.pageable_share);
  put(out, "d2h_bytes", copies.d2h_bytes);
  put(out, "d2h_ms", copies.d2h_ms);
  return out;
}

Json comm_json(const run::CommReport& comm) {
  Json out = Json::object();
  put(out, "time_ms", comm.time_ms);
  put(out, "exposed_ms", comm.exposed_ms);
  put(out, "overlap", comm.overlap);
  return out;
}

Json launches_json(const run::LaunchesReport& launches) {
  Json out = Json::object();
  out["count"] = launches.count;
  put(out, "delay_us_median", launches.delay_us_median);
  put(out, "delay_us_p95", launches.delay_us_p95);
  put(out, "empty_queue_share", launches.empty_queue_share);
  return out;
}

Json queue_json(const run::QueueReport& queue) {
  Json out = Json::object();
  put(out, "depth_mean", queue.depth_mean);
  put(out, "depth_median", queue.depth_median);
  put(out, "depth_p95", queue.depth_p95);
  put(out, "depth_max", queue.depth_max);
  put(out, "empty_share", queue.empty_share);
  return out;
}

Json peaks_json(const run::PeaksReport& peaks) {
  Json out = Json::object();
  put(out, "source", peaks.source);
  put(out, "float32_tflops", peaks.float32_tflops);
  put(out, "tf32_tflops", peaks.tf32_tflops);
  put(out, "float16_tflops", peaks.float16_tflops);
  put(out, "bfloat16_tflops", peaks.bfloat16_tflops);
  put(out, "float8_tflops", peaks.float8_tflops);
  put(out, "memory_gb_per_s", peaks.memory_gb_per_s);
  return out;
}

Json roofline_class_json(const run::RooflineClassReport& one) {
  Json out = Json::object();
  put(out, "class", one.kernel_class);
  put(out, "time_ms", one.time_ms);
  put(out, "known_share", one.known_share);
  put(out, "tflops", one.tflops);
  put(out, "gb_per_s", one.gb_per_s);
  put(out, "flops_per_byte", one.flops_per_byte);
  put(out, "compute_share", one.compute_share);
  put(out, "bandwidth_share", one.bandwidth_share);
  put(out, "roof_share", one.roof_share);
  put(out, "bound", one.bound);
  put(out, "odd_dims_share", one.odd_dims_share);
  return out;
}

Json roofline_json(const run::RooflineReport& roofline) {
  Json out = Json::object();
  put(out, "known_share", roofline.known_share);
  put(out, "tflops", roofline.tflops);
  put(out, "flops_utilization", roofline.flops_utilization);
  if (roofline.peaks) out["peaks"] = peaks_json(*roofline.peaks);
  out["classes"] = list(roofline.classes, roofline_class_json);
  return out;
}

Json step_memory_json(const run::StepMemoryReport& step) {
  return {{"step", step.step}, {"peak_allocated_bytes", step.peak_allocated_bytes}};
}

Json allocator_json(const run::AllocatorReport& memory) {
  Json out = Json::object();
  out["peak_allocated_bytes"] = memory.peak_allocated_bytes;
  put(out, "peak_at_step", memory.peak_at_step);
  put(out, "peak_reserved_bytes", memory.peak_reserved_bytes);
  put(out, "free_at_peak_bytes", memory.free_at_peak_bytes);
  if (!memory.steps.empty()) out["steps"] = list(memory.steps, step_memory_json);
  if (!memory.sampled) return out;
  out["sampled"] = true;
  put(out, "peak_after_step", memory.peak_after_step);
  put(out, "peak_by_step", memory.peak_by_step);
  put(out, "retries_in_steps", memory.retries_in_steps);
  put(out, "ooms", memory.ooms);
  out["processes"] = memory.processes;
  return out;
}

Json free_work_json(const run::FreeWorkReport& free_work) {
  Json out = Json::object();
  put(out, "of_ms", free_work.of_ms);
  Json saves = Json::object();
  for (const auto& [work, share] : free_work.saves) put(saves, work.c_str(), share);
  out["saves"] = std::move(saves);
  return out;
}

void put_trace(Json& out, const run::KernelTraceReport& trace) {
  put(out, "busy", trace.busy);
  put(out, "compute", trace.compute);
  put(out, "comm_exposed", trace.comm_exposed);
  put(out, "copy_exposed", trace.copy_exposed);
  put(out, "idle", trace.idle);
  put(out, "window_ms", trace.window_ms);
  if (trace.idle_account) out["idle_account"] = idle_account_json(*trace.idle_account);
  out["kernels"] = kernels_json(trace.kernels);
  out["copies"] = copies_json(trace.copies);
  out["comm"] = comm_json(trace.comm);
  if (trace.launches) out["launch"] = launches_json(*trace.launches);
  if (trace.queue) out["queue"] = queue_json(*trace.queue);
  if (trace.roofline) out["roofline"] = roofline_json(*trace.roofline);
  if (trace.memory) out["allocator"] = allocator_json(*trace.memory);
  put_filled(out, "waits", list(trace.waits, wait_json));
  if (trace.free_work) out["what_if_free"] = free_work_json(*trace.free_work);
}

Json device_json(const run::DeviceReport& device) {
  Json out = Json::object();
  out["index"] = device.index;
  put(out, "name", device.name);
  put(out, "kind", device.kind);
  put(out, "uuid", device.uuid);
  put(out, "visible_index", device.visible_index);
  put(out, "used", device.used);
  put(out, "mig", device.mig);
  if (device.utilization) out["utilization"] = utilization_json(*device.utilization);
  put(out, "memory_used_bytes", device.memory_used_bytes);
  put(out, "memory_total_bytes", device.memory_total_bytes);
  put(out, "power_w", device.power_w);
  put(out, "power_limit_w", device.power_limit_w);
  put(out, "temperature_c", device.temperature_c);
  put(out, "temperature_limit_c", device.temperature_limit_c());
  put(out, "sm_clock_mhz", device.sm_clock_mhz);
  put(out, "sm_clock_max_mhz", device.sm_clock_max_mhz);
  put_filled(out, "throttled", throttled_json(device.throttled));
  put_filled(out, "pcie", pcie_json(device));
  put_filled(out, "activity", activity_json(device.activity));
  put_filled(out, "others", others_json(device.others));
  put_filled(out, "unavailable", device.unavailable);
  if (device.allocator) out["allocator"] = allocator_json(*device.allocator);
  if (device.trace) put_trace(out, *device.trace);
  if (device.trace_in_steps) put_trace(out["in_steps"], *device.trace_in_steps);
  return out;
}

}  // namespace

Json wait_json(const run::WaitReport& wait) {
  Json out = Json::object();
  put(out, "at", wait.at);
  put(out, "function", wait.function);
  put(out, "by", wait.by);
  put(out, "op", wait.op);
  put(out, "api", wait.api);
  put(out, "range", wait.range);
  if (wait.rest) out["rest"] = true;
  out["count"] = wait.count;
  put(out, "time_ms", wait.time_ms);
  put(out, "idle_ms", wait.idle_ms);
  return out;
}

Json devices_json(const std::vector<run::DeviceReport>& devices) {
  return list(devices, device_json);
}

}  // namespace flatout::report
