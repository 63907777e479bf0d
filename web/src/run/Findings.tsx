// All findings; each opens what it was found by, and shows where in the run that lies.
import type { Finding, Report } from "../api/types";
import { percent, quantity } from "../format/quantity";
import { xKind, zoomTo } from "../plot/view";
import { spoken } from "./names";
import { useRun } from "./context";
import { AdviceLine } from "./Verdict";

// The panel in which one sees it best; the first that the run has is taken.
const places: Record<string, string[]> = {
  input_bound: ["panel-phases"], copy_bound: ["panel-pcie", "panel-phases"], comm_bound: ["ranks", "panel-phases"],
  rank_imbalance: ["ranks"], throttled: ["panel-clocks", "panel-throttled", "panel-temperature"], compute_bound: ["panel-ladder0"],
  cpu_contention: ["panel-cpu", "panel-pressure"], too_many_workers: ["panel-tree", "panel-cpu"], memory_headroom: ["panel-memory0"],
  memory_pressure: ["panel-ram"], device_unused: ["panel-ladder0"], device_shared: ["panel-others", "panel-ladder0"],
};

function show(finding: Finding, toAxis: (ms: number) => number | null): void {
  const spans = finding.evidence.filter((one) => one.start_s !== undefined && one.end_s !== undefined);
  if (spans.length > 0) {
    const from = toAxis(Math.min(...spans.map((one) => one.start_s!)) * 1000);
    const to = toAxis(Math.max(...spans.map((one) => one.end_s!)) * 1000);
    if (from !== null && to !== null && from < to) zoomTo([from, to]);
  }
  const target = (places[finding.id] ?? []).map((id) => document.getElementById(id)).find(Boolean) ?? document.getElementById("steps");
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  target?.scrollIntoView({ behavior: calm ? "auto" : "smooth", block: "center" });
  target?.classList.add("pointed");
  setTimeout(() => target?.classList.remove("pointed"), 2500);
}

function Evidence({ finding }: { finding: Finding }) {
  if (finding.evidence.length === 0) return null;
  return (
    <table>
      <caption class="sr">Evidence of {spoken(finding.id)}</caption>
      <thead><tr><th scope="col">Measured</th><th scope="col">Value</th><th scope="col">Threshold</th></tr></thead>
      <tbody>
        {finding.evidence.map((one, i) => (
          <tr key={i}><th scope="row">{one.metric}</th><td>{quantity(one.value, one.unit)}</td><td>{one.threshold === undefined ? "" : quantity(one.threshold, one.unit)}</td></tr>
        ))}
      </tbody>
    </table>
  );
}

function One({ finding, open }: { finding: Finding; open: boolean }) {
  const run = useRun();
  const toAxis = (ms: number) => (xKind.peek() === "step" ? run.axis.toStep(ms) : ms);
  return (
    <details class={`finding level-${finding.severity}`} open={open}>
      <summary>
        <b>{spoken(finding.id)}</b>
        {finding.cause && <span class="muted"> {spoken(finding.cause)}</span>}
        {finding.share !== undefined && <span class="mark">{percent(finding.share)}</span>}
        <span class="level">{finding.severity === "warn" ? "warning" : finding.severity}</span>
      </summary>
      {finding.summary && <p>{finding.summary}</p>}
      {finding.at && <p class="muted">at <code>{finding.at}</code></p>}
      {finding.advice.length > 0 && <ul class="advice">{finding.advice.map((one, i) => <AdviceLine key={i} advice={one} />)}</ul>}
      <Evidence finding={finding} />
      <button type="button" onClick={() => show(finding, toAxis)}>Show it in the run</button>
    </details>
  );
}

const weight = { critical: 0, warn: 1, info: 2 };

export function Findings({ report }: { report: Report }) {
  if (report.findings.length === 0) return null;
  const findings = [...report.findings].sort((a, b) => weight[a.severity] - weight[b.severity]);
  return (
    <section id="findings" aria-labelledby="h-findings">
      <h2 id="h-findings">Findings</h2>
      {findings.map((finding, i) => <One key={`${finding.id}${i}`} finding={finding} open={false} />)}
    </section>
  );
}
