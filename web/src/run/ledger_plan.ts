// What was in force before each trial of a tune, and what the trial changed of it.
import type { Json, Tune } from "../api/types";

type Trial = Tune["trials"][number];
export type Plan = { [knob: string]: Json };

// Each trial ran on top of what was kept before it.
export function planBefore(tune: Tune, trial: number): Plan {
  const plan: Plan = {};
  for (const one of tune.trials.slice(0, trial)) if (one.kept) plan[one.knob] = one.to as Json;
  return plan;
}

// The first run under the setting from its start. Before it stands the process in which blocks were compared, which had both.
export function ownRun(trial: Trial): string | null {
  return trial.runs[(trial.block_pairs ?? 0) > 0 ? 1 : 0] ?? null;
}

// The run that shows it: the last one that was kept, else the program as it was.
export function runBefore(tune: Tune, trial: number): string | null {
  const kept = tune.trials.slice(0, trial).filter((one) => one.kept && ownRun(one) !== null).at(-1);
  return (kept && ownRun(kept)) ?? tune.baseline.runs[0] ?? null;
}

export interface DiffLine {
  sign: " " | "-" | "+";
  text: string;
}

const line = (knob: string, value: Json | undefined) => `${knob} = ${JSON.stringify(value)}`;

export function planDiff(tune: Tune, trial: number): DiffLine[] {
  const one = tune.trials[trial]!;
  const before = planBefore(tune, trial);
  const old = before[one.knob] ?? (one.from as Json | undefined);
  const same = Object.entries(before).filter(([knob]) => knob !== one.knob).map(([knob, value]): DiffLine => ({ sign: " ", text: line(knob, value) }));
  const gone: DiffLine[] = old === undefined ? [] : [{ sign: "-", text: line(one.knob, old) }];
  return [...same, ...gone, { sign: "+", text: line(one.knob, one.to as Json) }];
}
