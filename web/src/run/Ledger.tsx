// What a tune tried, what it kept, and the proof. Speedups stand on one scale around 1.
import { useSignal } from "@preact/signals";
import type { Tune } from "../api/types";
import { toHash } from "../app/route";
import { digits, percent, seconds } from "../format/quantity";
import { text } from "../format/json";
import { LedgerDiff } from "./LedgerDiff";
import { ownRun } from "./ledger_plan";

type Trial = Tune["trials"][number];

const gates: Record<string, string> = { passed: "loss the same", failed: "loss differs", inconclusive: "loss unclear", not_needed: "same maths" };
export const times = (value: number | undefined, interval?: [number, number]) =>
  value === undefined ? "–" : `${value.toFixed(2)}×${interval ? ` (${interval[0].toFixed(2)} to ${interval[1].toFixed(2)})` : ""}`;

interface Scale {
  low: number;
  high: number;
}

export function scaleOf(tune: Tune): Scale {
  const all = [0.9, 1.1];
  for (const trial of [...tune.trials, ...(tune.final ? [{ interval: tune.final.interval }] : [])] as Partial<Trial>[])
    all.push(...(trial.interval ?? []), ...(trial.predicted_interval ?? []));
  return { low: Math.min(...all), high: Math.max(...all) };
}

// Predicted above, measured below, both with their interval; the line is "no faster".
function Intervals({ trial, scale }: { trial: Pick<Trial, "speedup" | "interval" | "predicted_speedup" | "predicted_interval">; scale: Scale }) {
  const x = (value: number) => 4 + ((Math.log(value) - Math.log(scale.low)) / (Math.log(scale.high) - Math.log(scale.low))) * 192;
  const mark = (value: number | undefined, interval: [number, number] | undefined, y: number, kind: string) =>
    value === undefined || !interval ? null : (
      <g class={kind}><line x1={x(interval[0])} x2={x(interval[1])} y1={y} y2={y} /><circle cx={x(value)} cy={y} r="3.5" /></g>
    );
  return (
    <svg class="intervals" viewBox="0 0 200 26" aria-hidden="true">
      <line class="one" x1={x(1)} x2={x(1)} y1="1" y2="25" />
      {mark(trial.predicted_speedup, trial.predicted_interval, 8, "predicted")}
      {mark(trial.speedup, trial.interval, 18, "measured")}
    </svg>
  );
}

function Proof({ trial, baseline }: { trial: Trial; baseline: string[] }) {
  const own = ownRun(trial);
  return (
    <span class="proof">
      {trial.runs.map((id) => <a key={id} href={toHash(["run", id])}>{id}</a>)}
      {own && baseline[0] && <a href={toHash(["compare"], { ids: `${baseline[0]},${own}` })}>compare</a>}
    </span>
  );
}

function Row({ trial, at, tune, scale }: { trial: Trial; at: number; tune: Tune; scale: Scale }) {
  const open = useSignal(false);
  const change = `${trial.from === undefined ? "" : `${text(trial.from)} → `}${text(trial.to)}`;
  return (
    <>
    <tr class={trial.kept ? "kept" : "reverted"}>
      <td><span class="badge">{trial.kept ? "✓ kept" : "↩ reverted"}</span></td>
      <th scope="row"><code>{trial.knob}</code><span class="change">{change}</span><button type="button" class="plain" aria-expanded={open.value} onClick={() => (open.value = !open.value)}>{open.value ? "Hide the diff" : "Plan and diff"}</button></th>
      <td>{times(trial.predicted_speedup, trial.predicted_interval)}</td>
      <td>{times(trial.speedup, trial.interval)}</td>
      <td class="picture"><Intervals trial={trial} scale={scale} /></td>
      <td>{gates[trial.loss_gate]}</td>
      <td class="reason">{trial.reason}<Proof trial={trial} baseline={tune.baseline.runs} /></td>
    </tr>
    {open.value && <tr><td colSpan={7}><LedgerDiff tune={tune} trial={at} /></td></tr>}
    </>
  );
}

function Outcome({ tune }: { tune: Tune }) {
  const { baseline, final } = tune;
  const from = baseline.samples_per_s === undefined ? "" : `${digits(baseline.samples_per_s)} samples/s`;
  if (!final) return <p class="summary">Nothing was kept: the program stays as it is{from ? `, at ${from}` : ""}.</p>;
  const to = final.samples_per_s === undefined ? "" : `${digits(final.samples_per_s)} samples/s`;
  return (
    <p class="summary">
      {final.confirmed ? "Confirmed" : final.too_noisy ? "Too noisy to confirm" : final.out_of_time ? "Out of time before it was confirmed" : "Not confirmed"}:{" "}
      <b>{times(final.speedup, final.interval)}</b>{from && to ? `, from ${from} to ${to}` : ""}
      {baseline.device_busy !== undefined && final.device_busy !== undefined ? `; device busy from ${percent(baseline.device_busy)} to ${percent(final.device_busy)}` : ""}.
    </p>
  );
}

function planText(knobs: Tune["knobs"]): string {
  return Object.entries(knobs).map(([knob, value]) => `${knob} = ${JSON.stringify(value)}`).join("\n");
}

export function Ledger({ tune }: { tune: Tune }) {
  const scale = scaleOf(tune);
  return (
    <section id="ledger" aria-labelledby="h-ledger">
      <h2 id="h-ledger">Fix ledger</h2>
      <Outcome tune={tune} />
      <div class="table-box" tabIndex={0} role="region" aria-label="Trials of the tune">
        <table class="ledger">
          <caption>{tune.trials.length} {tune.trials.length === 1 ? "change" : "changes"} tried in {seconds(tune.seconds)}, {tune.steps} steps each; intervals are 95 %. In the picture: <span class="key-predicted">predicted</span> above, <span class="key-measured">measured</span> below, the line is “no faster”.</caption>
          <thead><tr><th scope="col">Outcome</th><th scope="col">Change</th><th scope="col">Predicted</th><th scope="col">Measured</th><th scope="col"><span class="sr">Picture</span></th><th scope="col">Training</th><th scope="col">Why, and the runs that prove it</th></tr></thead>
          <tbody>{tune.trials.map((trial, i) => <Row key={i} trial={trial} at={i} tune={tune} scale={scale} />)}</tbody>
        </table>
      </div>
      {Object.keys(tune.knobs).length > 0 && <><h3>The plan{tune.plan ? `, ${tune.plan}` : ""}</h3><pre>{planText(tune.knobs)}</pre></>}
      {tune.skipped.length > 0 && (
        <details><summary>{tune.skipped.length} not tried</summary><ul>{tune.skipped.map((one, i) => <li key={i}><code>{one.knob}</code>: {one.reason}</li>)}</ul></details>
      )}
      {tune.notes?.map((note) => <p class="muted" key={note}>{note}</p>)}
    </section>
  );
}
