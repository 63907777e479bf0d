// The loader as the report knows it: what a sample costs, by stage, and what it could give at most.
import type { Report } from "../api/types";
import { digits, milliseconds, percent } from "../format/quantity";
import { Bar } from "./Bar";

const shown = 7;

export function LoaderPanel({ report }: { report: Report }) {
  const loader = report.loader;
  if (!loader) return null;
  const facts: [string, string][] = [["Workers", String(loader.workers)]];
  if (loader.prefetch_factor !== undefined) facts.push(["Prefetch factor", String(loader.prefetch_factor)]);
  if (loader.threads !== undefined) facts.push(["Threads of the engine", String(loader.threads)]);
  if (loader.sample_ms !== undefined) facts.push(["A sample takes", milliseconds(loader.sample_ms)]);
  if (loader.sample_cpu_share !== undefined) facts.push(["of which computing", percent(loader.sample_cpu_share)]);
  if (loader.max_samples_per_s !== undefined) facts.push(["It could give", `${digits(loader.max_samples_per_s)} samples/s`]);
  if (report.steps?.samples_per_s !== undefined) facts.push(["The training takes", `${digits(report.steps.samples_per_s)} samples/s`]);
  if (loader.engine_measured?.samples_per_s !== undefined) facts.push(["flatout's engine would give", `${digits(loader.engine_measured.samples_per_s)} samples/s`]);
  const stages = (loader.stages ?? []).flatMap((one) => (one.share === undefined ? [] : [{ name: one.name, share: one.share }]));
  const parts = stages.slice(0, shown).map((one, i) => ({ name: one.name, colour: `line-${i}`, value: one.share, text: percent(one.share) }));
  const rest = stages.slice(shown).reduce((sum, one) => sum + one.share, 0);
  if (rest > 0) parts.push({ name: "others", colour: "other", value: rest, text: percent(rest) });
  return (
    <div class="panel loader">
      <header><h3>Loader</h3>{loader.built_at && <code class="muted">{loader.built_at}</code>}</header>
      <dl class="facts">{facts.map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{value}</dd></div>)}</dl>
      <Bar title="What a sample's time goes into" parts={parts} />
    </div>
  );
}
