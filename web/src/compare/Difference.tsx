// Each run against the first: faster or slower, how sure that is, and where the time went.
import { getCompare } from "../api/runs";
import type { Compare } from "../api/types";
import { toHash } from "../app/route";
import { milliseconds, quantity } from "../format/quantity";
import { useLoaded } from "../plot/useLoaded";
import { spoken } from "../run/names";

type Contrast = Compare["runs"][number];
interface Figure { name: string; unit: string; before?: number; after?: number }
interface Speedup { ratio: number; by_clock?: number; interval: [number, number]; shown: boolean }

const times = (ratio: number): string => (ratio >= 1 ? `${ratio.toFixed(2)}× as fast` : `${(1 / ratio).toFixed(2)}× slower`);

export function sentence(contrast: { speedup?: Speedup; no_speedup?: string }): { text: string; kind: "faster" | "slower" | "open" } {
  const found = contrast.speedup;
  if (!found) return { text: contrast.no_speedup ?? "No difference can be told.", kind: "open" };
  const interval = `95 %: ${found.interval[0].toFixed(2)} to ${found.interval[1].toFixed(2)}`;
  if (!found.shown) return { text: `${found.ratio.toFixed(2)}× (${interval}): no difference is shown`, kind: "open" };
  if (found.by_clock && found.by_clock >= 1 !== found.ratio >= 1) {
    return { text: `${times(found.ratio)} in its steps (${interval}), and ${times(found.by_clock)} by the clock, with the time between epochs`, kind: "open" };
  }
  return found.ratio >= 1 ? { text: `${found.ratio.toFixed(2)}× as fast (${interval})`, kind: "faster" } : { text: `${(1 / found.ratio).toFixed(2)}× slower (speed ${found.ratio.toFixed(2)}, ${interval})`, kind: "slower" };
}

export function change(before: number | undefined, after: number | undefined): string {
  if (before === undefined || after === undefined || before === 0) return "";
  const share = after / before - 1;
  return `${share >= 0 ? "+" : "−"}${Math.abs(share * 100).toFixed(Math.abs(share) < 0.1 ? 1 : 0)} %`;
}

function Figures({ figures }: { figures: Figure[] }) {
  const rows = figures.filter((one) => one.before !== one.after && (one.before !== undefined || one.after !== undefined));
  return (
    <table>
      <thead><tr><th scope="col">Figure</th><th scope="col">Baseline</th><th scope="col">This run</th><th scope="col">Change</th></tr></thead>
      <tbody>{rows.map((one) => <tr key={one.name}><th scope="row">{one.name}</th><td>{quantity(one.before, one.unit)}</td><td>{quantity(one.after, one.unit)}</td><td>{change(one.before, one.after)}</td></tr>)}</tbody>
    </table>
  );
}

function Phases({ phases }: { phases: { name: string; before_ms?: number; after_ms?: number }[] }) {
  const most = Math.max(...phases.flatMap((one) => [one.before_ms ?? 0, one.after_ms ?? 0]));
  const bar = (value: number | undefined, kind: string) => <rect y={kind === "run-a" ? 1 : 9} height="6" width={most > 0 ? ((value ?? 0) / most) * 160 : 0} class={`fill-${kind}`} />;
  const rows = phases.filter((one) => (one.before_ms ?? 0) > 0 || (one.after_ms ?? 0) > 0);
  return (
    <table>
      <thead><tr><th scope="col">Phase</th><th scope="col">Baseline</th><th scope="col">This run</th><th scope="col"><span class="sr">Bars</span></th></tr></thead>
      <tbody>{rows.map((one) => (
        <tr key={one.name}><th scope="row">{spoken(one.name)}</th><td>{one.before_ms === undefined ? "–" : milliseconds(one.before_ms)}</td><td>{one.after_ms === undefined ? "–" : milliseconds(one.after_ms)}</td>
          <td><svg class="pair" viewBox="0 0 160 16" aria-hidden="true">{bar(one.before_ms, "run-a")}{bar(one.after_ms, "run-b")}</svg></td></tr>
      ))}</tbody>
    </table>
  );
}

export function Difference({ a, b }: { a: string; b: string }) {
  const { data, error } = useLoaded((stop) => getCompare(a, b, stop), [a, b]);
  if (error) return <p class="problem" role="alert">{a} and {b}: {error.message}</p>;
  const contrast = data?.runs[0] as (Contrast & { speedup?: Speedup; no_speedup?: string; figures: Figure[]; phases: { name: string }[]; cautions: { id: string; text: string }[] }) | undefined;
  if (!contrast) return <p class="muted">…</p>;
  const said = sentence(contrast);
  return (
    <article class={`difference difference-${said.kind}`}>
      <h3><a href={toHash(["run", b])}>{b}</a> against <a href={toHash(["run", a])}>{a}</a></h3>
      <p class="summary">{said.text}</p>
      {contrast.cautions.map((one) => <p key={one.id} class="muted">Caution: {one.text}</p>)}
      <details><summary>Figures and phases</summary><div class="two"><div class="table-box" tabIndex={0} role="region" aria-label="Figures"><Figures figures={contrast.figures} /></div><div class="table-box" tabIndex={0} role="region" aria-label="Phases"><Phases phases={contrast.phases} /></div></div></details>
    </article>
  );
}
