// The answer first: how much of the time is lost, to what, how sure that is, and what to do.
import type { Advice, Report } from "../api/types";
import { percent, seconds } from "../format/quantity";
import { headlineOf } from "./account";
import { spoken } from "./names";

export function speedup(advice: Pick<Advice, "predicted_speedup" | "interval">): string {
  if (advice.predicted_speedup === undefined) return "";
  const [low, high] = (advice.interval ?? []) as number[];
  const text = `${advice.predicted_speedup.toFixed(2)}×`;
  return low === undefined || high === undefined ? text : `${text} (${low.toFixed(2)} to ${high.toFixed(2)})`;
}

const risks: Record<string, string> = {
  same_maths: "same maths",
  rounding: "rounds differently",
  changes_training: "changes the training",
};

export function AdviceLine({ advice }: { advice: Advice }) {
  const change = advice.from !== undefined && advice.to !== undefined ? `: ${JSON.stringify(advice.from)} → ${JSON.stringify(advice.to)}` : advice.to !== undefined ? ` = ${JSON.stringify(advice.to)}` : "";
  return (
    <li>
      {advice.predicted_speedup !== undefined && <b class="gain">{speedup(advice)}</b>}
      <span>{advice.how ?? `${advice.knob}${change}`}</span>
      <span class="muted">{advice.knob}{advice.how ? change : ""} · {risks[advice.risk]}{advice.at ? ` · ${advice.at}` : ""}</span>
    </li>
  );
}

function Tile({ name, value, title }: { name: string; value: string; title?: string }) {
  return <div title={title}><dt>{name}</dt><dd>{value}</dd></div>;
}

export function Verdict({ report }: { report: Report }) {
  const { verdict, failure } = report;
  const { idle, lost_s } = headlineOf(report);
  const first = report.findings.find((one) => one.id === verdict.finding) ?? report.findings[0];
  const advice = first?.advice.slice(0, 2) ?? [];
  const level = failure ? "critical" : first?.severity ?? "info";
  return (
    <section class={`verdict level-${level}`} aria-labelledby="h-verdict">
      <h2 id="h-verdict">{verdict.finding ? spoken(verdict.finding) : "No verdict yet"}{verdict.cause && <small>{spoken(verdict.cause)}</small>}</h2>
      {verdict.summary && <p class="summary">{verdict.summary}</p>}
      {failure && <p class="problem">{failure.error ?? "It failed"}{failure.message ? `: ${failure.message}` : ""}{failure.at ? ` at ${failure.at}` : ""}</p>}
      <dl class="tiles">
        {idle !== null && <Tile name="Device idle" value={percent(idle)} title="In the steady steps" />}
        {lost_s !== null && <Tile name="Lost" value={seconds(lost_s)} title="Idle time in the steady steps" />}
        {first?.share !== undefined && <Tile name="Share of the step" value={percent(first.share)} title="Of steady step time, that the finding is about" />}
        {verdict.confidence !== undefined && <Tile name="Confidence" value={percent(verdict.confidence)} />}
        {verdict.rests_on_share !== undefined && <Tile name="Rests on" value={`${percent(verdict.rests_on_share)} of the run`} />}
      </dl>
      {advice.length > 0 && <><h3>What to try</h3><ul class="advice">{advice.map((one, i) => <AdviceLine key={i} advice={one} />)}</ul></>}
      {verdict.ruled_out.length > 0 && <p class="muted">Ruled out: {verdict.ruled_out.join(", ")}.</p>}
    </section>
  );
}
