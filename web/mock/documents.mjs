// Documents as the command line writes them, of made-up runs.
const interval = (value, by = 0.04) => [value * (1 - by), value * (1 + by)];

export function reportOf(row, devices) {
  const advice = [{ knob: "dataloader.num_workers", from: 0, to: 8, predicted_speedup: 1.42, interval: [1.31, 1.5], risk: "same_maths", how: 'flatout.data.images("a_folder_with_a_long_name_of_pictures").random_resized_crop(224).batch(32).epoch(seed=1)', at: "/home/someone/a-folder/with/a-long-name/of-an-experiment/train_image_folder.py:122" }, { knob: "dataloader.pin_memory", from: false, to: true, predicted_speedup: 1.03, interval: [1.0, 1.05], risk: "same_maths", how: "DataLoader(pin_memory=True)", at: "train.py:122" }];
  const total = row.duration_s;
  return {
    schema: "flatout.report/1", run: { id: row.id, command: row.command.split(" "), state: row.state, survivors: [], duration_s: total, host: row.host },
    verdict: { finding: "input_bound", cause: "single_process_loading", summary: "the GPU waits for data 31 % of each step, because samples are read and transformed inside the training process (num_workers=0, train.py:122), mostly in JPEG decode (53 %).", confidence: 0.95, tier: "gpm", rests_on_share: 0.86, ruled_out: ["disk", "memory pressure", "CPU limits", "CPU contention"] },
    account: { total_s: total, startup_s: total * 0.03, warm_up_s: total * 0.02, steps_s: total * 0.86, eval_s: total * 0.05, checkpoint_s: total * 0.02, epoch_gap_s: total * 0.01, end_s: total * 0.01 },
    steps: { kind: "train", count: row.steps, steady_count: row.steps - 40, median_ms: 149.2, device_busy: 0.62, samples_per_s: 1716, batch_size: 256, phases: { data_wait: 0.31 }, phases_unavailable: { sync: "no call that waits for the device was seen" } },
    devices: Array.from({ length: devices }, (_, index) => ({ index, name: "NVIDIA H100 80GB HBM3", kind: "cuda", utilization: { source: "nvml", mean: 0.72, pattern: "sawtooth", period_ms: 400, duty: 0.725 }, busy: 0.62, idle: 0.38, idle_account: { data: 0.29, launch: 0.03, sync: 0.02, peer: 0.02, unexplained: 0.02 }, unavailable: index === 0 ? { "device.gpm.occupancy": "the driver does not give it under MIG" } : {} })),
    host: { cpus: 64, cpu_mean: 11 },
    loader: { workers: 0, pin_memory: false, built_at: "train.py:122", sample_ms: 1.83, sample_cpu_share: 0.99, max_samples_per_s: 546, engine_measured: { samples_per_s: 5075 }, stages: [["JPEG decode", 0.53], ["RandomResizedCrop", 0.25], ["ToTensor", 0.08], ["Image.open", 0.06], ["collate", 0.03], ["Normalize", 0.02], ["flip", 0.01], ["other", 0.02]].map(([name, share]) => ({ name, share })) },
    findings: [
      { id: "input_bound", cause: "single_process_loading", severity: "critical", share: 0.31, confidence: 0.95, tier: "gpm", summary: "the GPU waits for data 31 % of each step.", at: "train.py:122", evidence: [{ metric: "steps.phases.data_wait", value: 0.31, unit: "ratio", threshold: 0.1, start_s: total * 0.05, end_s: total * 0.6 }, { metric: "loader.workers", value: 0, unit: "count" }], advice },
      { id: "rank_imbalance", cause: "late_data", severity: "warn", share: 0.06, confidence: 0.8, tier: "phases", summary: "rank 5 is 40 % slower than the others for a quarter of the run.", evidence: [{ metric: "ranks.held", value: 61, unit: "ms", start_s: total * 0.43, end_s: total * 0.69 }], advice: [] },
      { id: "throttled", cause: "power", severity: "info", share: 0.02, evidence: [{ metric: "device.throttle.power", value: 0.05, unit: "ratio" }], advice: [] },
    ],
    overhead: { events: 120_000, dropped: 0 }, notes: ["the verdict rests on 52 min of 60 min"],
  };
}

export function tuneOf(row) {
  const trial = (knob, from, to, predicted, speedup, kept, reason, loss_gate = "not_needed", by = 0.03) => ({ knob, from, to, predicted_speedup: predicted, predicted_interval: interval(predicted, 0.08), speedup, interval: interval(speedup, by), samples_per_s: 900 * speedup, loss_gate, kept, reason, runs: kept && knob.startsWith("precision") ? ["base", "gpus"] : ["gpus", "base"] });
  return {
    schema: "flatout.tune/1", id: row.id, steps: 60, baseline: { samples_per_s: 905, interval: interval(905), device_busy: 0.42, runs: [row.id, "base"], noise: 0.012 },
    trials: [
      trial("dataloader.num_workers", 0, 8, 2.1, 2.24, true, "faster for sure"),
      trial("precision.bf16", "off", true, 1.35, 1.31, true, "faster, and the loss is the same within noise", "passed"),
      trial("layout.channels_last", false, true, 1.1, 0.96, false, "slower"),
      trial("dataloader.prefetch_factor", 2, 6, 1.02, 1.005, false, "no difference that could be shown", "not_needed", 0.02),
      trial("precision.fp16", "off", true, 1.4, 1.36, false, "the loss differs", "failed"),
    ],
    skipped: [{ knob: "kernels.liger", reason: "the model has none of its layers" }, { knob: "compile.mode", reason: "no time left in the budget" }],
    final: { samples_per_s: 2630, speedup: 2.91, interval: [2.8, 3.03], device_busy: 0.93, loss_gate: "passed", confirmed: true, runs: ["gpus"] },
    seconds: 318, plan: "flatout.toml", knobs: { "dataloader.num_workers": 8, "precision.bf16": true }, notes: ["trials ran in overlays; nothing was written outside"],
  };
}

export function compareOf(a, b) {
  const side = (row) => ({ id: row.id, state: row.state, steps: row.steps, steady_steps: row.steps - 40, verdict: row.verdict });
  const ratio = a.median_ms / b.median_ms;
  return {
    schema: "flatout.compare/1", interval_method: "95 %; bootstrap", baseline: side(a),
    runs: [{ run: side(b), speedup: { ratio, interval: interval(ratio, 0.02), shown: Math.abs(ratio - 1) > 0.02, statistic: "median", block_steps: 20 },
      figures: [{ name: "steps.median_ms", unit: "ms", before: a.median_ms, after: b.median_ms }, { name: "steps.samples_per_s", unit: "samples/s", before: a.samples_per_s, after: b.samples_per_s }, { name: "steps.device_busy", unit: "ratio", before: a.device_busy, after: b.device_busy }],
      phases: [["data_wait", 46, 5], ["forward", 32, 31], ["backward", 44, 43], ["optimizer", 6, 6]].map(([name, before_ms, after_ms]) => ({ name, before_ms, after_ms })),
      findings: [{ id: "input_bound", change: "went" }], config: [], environment: [], cautions: a.host === b.host ? [] : [{ id: "other_machine", text: `they ran on different machines: ${a.host} and ${b.host}` }] }],
  };
}

export function configDiffOf(rows) {
  const keys = [["lr", "config.lr"], ["batch", "config.batch"], ["model.name", "config.model.name"], ["model.layers", "config.model.layers"]];
  const get = (row, path) => path.split(".").slice(1).reduce((value, key) => value?.[key], row.tracked.config) ?? null;
  return { keys: [...keys.map(([, path]) => ({ key: path, values: rows.map((row) => get(row, path)) })), { key: "environment.machine.host", values: rows.map((row) => row.host) }, { key: "environment.versions.torch", values: rows.map(() => "2.13.0") }] };
}
