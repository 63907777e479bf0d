// A list of made-up runs.
import { random } from "./random.mjs";

const letters = "abcdefghijklmnopqrstuvwxyz234567";
const findings = [["input_bound", "single_process_loading"], ["compute_bound", null], ["comm_bound", "exposed_collectives"], ["host_bound", "python"], ["sync_bound", "item_each_step"]];
const models = ["resnet50", "vit_b16", "gpt_small", "unet"];

function row(index, now) {
  const draw = random(index + 1);
  const id = Array.from({ length: 4 }, () => letters[Math.floor(draw() * letters.length)]).join("") + (index > 40 ? letters[index % 32] : "");
  const [finding, cause] = findings[Math.floor(draw() * findings.length)];
  const model = models[Math.floor(draw() * models.length)];
  const lr = [0.1, 0.03, 0.01, 0.003, 0.001][Math.floor(draw() * 5)];
  const batch = [32, 64, 128, 256][Math.floor(draw() * 4)];
  const busy = 0.25 + 0.7 * draw();
  const ms = 40 + 200 * draw();
  const state = index === 0 ? "running" : draw() < 0.06 ? "failed" : draw() < 0.03 ? "killed" : "finished";
  return {
    id, name: draw() < 0.4 ? `${model}-${index}` : null, state,
    started_ms: now - index * 7 * 60_000 - 40_000, duration_s: 60 + 4000 * draw(),
    command: `python train.py --model ${model} --lr ${lr} --batch ${batch}`, host: `node${index % 12}`,
    kind: index % 97 === 3 ? "tune" : index % 7 === 6 ? "trial" : "run", parent: null,
    tags: draw() < 0.3 ? ["night"] : draw() < 0.2 ? ["baseline", "paper"] : [], note: null, bytes: Math.round(4e5 + 8e6 * draw()),
    verdict: { finding, cause: cause ?? undefined, summary: `the GPU waits ${Math.round(100 - busy * 100)} % of each step`, confidence: 0.9 },
    steps: Math.round(200 + 40_000 * draw()), median_ms: ms, samples_per_s: (batch / ms) * 1000, device_busy: busy,
    tracked: { id, project: model.startsWith("gpt") ? "language" : "vision", name: null, group: `sweep-${index % 9}`, job_type: "train", tags: [],
      config: { lr, batch, model: { name: model, layers: 12 + (index % 4) * 6 } }, summary: { loss: 0.2 + 2 * lr * draw() + 0.3 * draw(), accuracy: 0.5 + 0.45 * draw() } },
  };
}

export function makeRows(count, now) {
  const rows = Array.from({ length: count }, (_, index) => row(index, now));
  Object.assign(rows[0], { id: "live", name: "live" });
  Object.assign(rows[1], { id: "gpus", name: "eight-gpus", kind: "run", state: "finished", duration_s: 3600, steps: 24_000 });
  Object.assign(rows[2], { id: "base", name: "baseline", kind: "run", state: "finished", duration_s: 1800, steps: 12_000 });
  Object.assign(rows[3], { id: "tune", name: "tuned", kind: "tune", state: "finished", duration_s: 320, steps: 400 });
  return rows;
}
