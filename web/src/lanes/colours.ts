// Colours of what stands on lanes: phases and causes of idling as everywhere, kernels by their class.
import { idleCauses } from "../run/names";
import { phaseColour } from "../run/names";

const kernels: Record<string, string> = {
  gemm: "line-0", convolution: "line-0", attention: "line-3", normalization: "line-2", softmax: "line-2", reduction: "line-6",
  transpose: "line-1", indexing: "line-1", optimizer: "optimizer", elementwise: "line-5", collective: "comm", copy: "h2d", memset: "other", other: "line-7",
};
const causes = Object.fromEntries(idleCauses.map(([key, , colour]) => [key, colour]));
const phases = new Set(["data_wait", "h2d", "forward", "backward", "optimizer", "comm", "sync", "checkpoint", "eval"]);

// `lane`: its kind; `kind`: of the name.
export function colourOf(lane: string, kind: string): string {
  switch (lane) {
    case "phases": return phases.has(kind) ? phaseColour(kind) : "other";
    case "idle": return causes[kind] ?? "other";
    case "stream": return kernels[kind] ?? "other";
    case "batches": return "worker";
    case "ranges": return "line-3";
    default: return "main";
  }
}

const words: Record<string, string> = { gemm: "matrix products", h2d: "h2d", data_wait: "data wait" };
const causeNames = Object.fromEntries(idleCauses.map(([key, name]) => [key, name]));

// What a colour stands for, in the legend.
export function meaningOf(lane: string, kind: string): string {
  if (lane === "batches") return "a batch";
  if (lane === "ops") return "an op";
  if (lane === "calls") return "a call of CUDA";
  if (lane === "ranges") return "a range of the program";
  if (lane === "idle") return `idle: ${causeNames[kind] ?? kind}`;
  return words[kind] ?? kind.replaceAll("_", " ");
}
