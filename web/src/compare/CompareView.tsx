// Several runs beside each other; the first is the baseline.
import { useMemo } from "preact/hooks";
import { getConfigDiff, getRun } from "../api/runs";
import type { RunDetail } from "../api/types";
import { useKeys } from "../app/keys";
import { go, route, setQuery, toHash } from "../app/route";
import { lineColour, lineDash } from "../plot/palette";
import { useLoaded } from "../plot/useLoaded";
import { zoomTo } from "../plot/view";
import { StateMark } from "../list/Row";
import { Zoom } from "../run/RunTools";
import { ConfigTable } from "./ConfigTable";
import { Difference } from "./Difference";
import { AlongChoice, Overlays } from "./Overlays";
import { runName } from "./overlay";
import { Parallel } from "./Parallel";

const mostDifferences = 8;

function Members({ details, ids }: { details: RunDetail[]; ids: string[] }) {
  const put = (next: string[]) => setQuery({ ids: next.join(",") });
  return (
    <ul class="members">
      {details.map((detail, i) => (
        <li key={detail.row.id}>
          <svg class="swatch" viewBox="0 0 20 10" aria-hidden="true"><line x1="0" x2="20" y1="5" y2="5" class={`stroke-${lineColour(i)}`} stroke-width="2.5" stroke-dasharray={lineDash(i).join(" ")} /></svg>
          <StateMark state={detail.row.state} />
          <a href={toHash(["run", detail.row.id])}>{runName(detail)}</a>
          {i === 0 ? <span class="mark">baseline</span> : <button type="button" onClick={() => put([detail.row.id, ...ids.filter((id) => id !== detail.row.id)])}>make it the baseline</button>}
          <button type="button" aria-label={`Take ${runName(detail)} away`} onClick={() => put(ids.filter((id) => id !== detail.row.id))}>×</button>
        </li>
      ))}
    </ul>
  );
}

export function CompareView() {
  const text = route.value.query.get("ids") ?? "";
  const ids = useMemo(() => [...new Set(text.split(",").filter(Boolean))], [text]);
  const { data, error } = useLoaded((stop) => Promise.all(ids.map((id) => getRun(id, stop))), [text], ids.length > 0);
  const diff = useLoaded((stop) => getConfigDiff(ids, stop), [text], ids.length > 1);
  useKeys({ z: () => zoomTo(null), c: () => go(["runs"], { sel: ids.join(",") }) });
  if (ids.length < 2) return <main><p class="nothing">Select two runs or more in the <a href={toHash(["runs"], { sel: ids.join(",") })}>list</a> and press c.</p></main>;
  if (error) return <main><p class="problem" role="alert">{error.message}</p></main>;
  if (!data) return <main><p class="muted">…</p></main>;
  return (
    <main class="compare">
      <h1>{ids.length} runs</h1>
      <Members details={data} ids={ids} />
      <section aria-labelledby="h-difference"><h2 id="h-difference">Difference</h2>{ids.slice(1, 1 + mostDifferences).map((id) => <Difference key={id} a={ids[0]!} b={id} />)}</section>
      <Parallel details={data} seen={diff.data} />
      <section aria-labelledby="h-overlay">
        <h2 id="h-overlay">Over each other</h2>
        <div class="run-tools"><span class="push" /><Zoom /><AlongChoice /></div>
        <Overlays details={data} />
      </section>
      <section aria-labelledby="h-config"><h2 id="h-config">Configuration and environment</h2><ConfigTable diff={diff} ids={ids} names={data.map(runName)} /></section>
    </main>
  );
}
