// What every rank, worker and stream did in a part of the run, as rectangles on lanes. Where nothing
// is zoomed into, of a few steps from the middle of it.
import { useSignal, type Signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { getLanes } from "../api/runs";
import type { LanesAnswer } from "../api/types";
import { offset } from "../format/moment";
import { milliseconds } from "../format/quantity";
import { followCursor, showCursor } from "../plot/cursor";
import { Menu } from "../plot/Menu";
import { PagedTable } from "../plot/PagedTable";
import { colour, theme } from "../plot/palette";
import { keep, fileName } from "../plot/save";
import { useInView, useLoaded } from "../plot/useLoaded";
import { range, tick, xKind, zoomTo } from "../plot/view";
import { timeRange, useRun, type RunContext } from "../run/context";
import { toAxis, zoomToTime } from "../run/zoom";
import { colourOf, meaningOf } from "./colours";
import { layoutOf, neighbour, reading, spanAt, spanOf, type Place } from "./layout";
import { paintLanes, toMs, toX, type View } from "./paint";
import { lanesCsv, lanesSvg } from "./save";

const title = "What ran when";

function Table({ answer }: { answer: LanesAnswer }) {
  const all = answer.lanes.flatMap((lane, i) => lane.spans.map((_one, span) => ({ lane, place: { lane: i, span } })));
  return (
    <PagedTable
      label={title} columns={["Lane", "What", "From", "Length", "Put together"]} count={all.length}
      row={(at) => {
        const { lane, place } = all[at]!;
        const span = spanOf(answer, place.lane, place.span);
        return [`${lane.group}, ${lane.label}`, span.name.text, offset(span.begin, (answer.to_ms - answer.from_ms) / 1000), milliseconds(span.end - span.begin), span.count > 1 ? `${span.count}, ${milliseconds(span.filled)} in all` : ""];
      }}
    />
  );
}

function Key({ answer }: { answer: LanesAnswer }) {
  const seen = new Map<string, string>(); // meaning -> colour
  for (const lane of answer.lanes)
    for (const span of lane.spans) {
      const { kind } = answer.names[span[3]!] ?? { kind: "other" };
      const meaning = meaningOf(lane.kind, kind);
      if (!seen.has(meaning)) seen.set(meaning, colourOf(lane.kind, kind));
    }
  return <ul class="lanes-key">{[...seen].map(([meaning, fill]) => <li key={meaning}><svg viewBox="0 0 10 10" aria-hidden="true"><rect width="10" height="10" rx="2" class={`fill-${fill}`} /></svg>{meaning}</li>)}</ul>;
}

// What the part that is shown leads to.
function Moves({ run, answer }: { run: RunContext; answer: LanesAnswer }) {
  const { from_ms: from, to_ms: to } = answer;
  const length = to - from;
  const move = (low: number, high: number) => zoomToTime(run, [low, high]);
  return (
    <span class="moves">
      <button type="button" onClick={() => move(from - length * 0.8, to - length * 0.8)} disabled={from <= 0} aria-label="Earlier">‹</button>
      <button type="button" onClick={() => move(from + length * 0.8, to + length * 0.8)} disabled={to >= run.endMs} aria-label="Later">›</button>
      <button type="button" onClick={() => move(from + length / 4, to - length / 4)} aria-label="Nearer">+</button>
      <button type="button" onClick={() => move(from - length / 2, to + length / 2)} aria-label="Wider">−</button>
    </span>
  );
}

interface Hand {
  chosen: Signal<Place | null>;
  drag: Signal<[number, number] | null>; // x in pixels
  cursor: Signal<number | null>; // ms
}

// All panels show the same part, so that one cursor can stand in all of them.
const together = (answer: LanesAnswer, run: RunContext): boolean => {
  const now = timeRange(run);
  return !!now && Math.abs(now[0] - answer.from_ms) < 1e-3 * (now[1] - now[0]) + 1e-6;
};

function Picture({ run, answer, hand, said }: { run: RunContext; answer: LanesAnswer; hand: Hand; said: Signal<string> }) {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const layout = layoutOf(answer);
  const width = useSignal(0);
  const view: View = { answer, layout, width: Math.max(120, width.value) };
  const { chosen, drag, cursor } = hand;
  useLayoutEffect(() => {
    const observer = new ResizeObserver(() => (width.value = box.current?.clientWidth ?? 0));
    observer.observe(box.current!);
    width.value = box.current!.clientWidth;
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    if (width.value > 0) paintLanes(canvas.current!, view, chosen.value);
  }, [answer, width.value, chosen.value, theme.value]);
  useEffect(() => followCursor((x) => {
    const ms = x === null ? null : xKind.peek() === "step" ? run.axis.toTime(x) : x;
    cursor.value = ms !== null && ms >= answer.from_ms && ms <= answer.to_ms ? ms : null;
  }), [answer, run.axis]);

  const x = (event: MouseEvent) => event.clientX - canvas.current!.getBoundingClientRect().left;
  const point = (event: MouseEvent) => {
    if (drag.value) {
      drag.value = [drag.value[0], x(event)];
      return;
    }
    const ms = toMs(view, x(event));
    const slack = 2 * (toMs(view, 1) - toMs(view, 0));
    chosen.value = spanAt(answer, layout, ms, event.clientY - canvas.current!.getBoundingClientRect().top, slack);
    said.value = chosen.value ? reading(answer, chosen.value) : "";
    cursor.value = ms >= answer.from_ms && ms <= answer.to_ms ? ms : null;
    if (together(answer, run)) showCursor(cursor.value === null ? null : toAxis(run, ms));
  };
  const drop = () => {
    const [from, to] = drag.value ?? [0, 0];
    drag.value = null;
    if (Math.abs(to - from) < 4) return;
    zoomToTime(run, [toMs(view, Math.min(from, to)), toMs(view, Math.max(from, to))]);
  };
  const leave = () => {
    drag.value = null;
    cursor.value = null;
    showCursor(null);
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === "Enter" && chosen.value) {
      const span = spanOf(answer, chosen.value.lane, chosen.value.span);
      zoomToTime(run, [span.begin - (span.end - span.begin) / 2, span.end + (span.end - span.begin) / 2]);
    }
    if (!["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"].includes(event.key)) return;
    event.preventDefault();
    chosen.value = neighbour(answer, chosen.value, event.key);
    if (!chosen.value) return;
    said.value = reading(answer, chosen.value);
    cursor.value = spanOf(answer, chosen.value.lane, chosen.value.span).begin;
    if (together(answer, run)) showCursor(toAxis(run, cursor.value));
  };
  const selected = drag.value && { left: Math.min(...drag.value), width: Math.abs(drag.value[1] - drag.value[0]) };
  return (
    <div
      class="lanes-picture" ref={box} tabIndex={0} role="img" onKeyDown={onKey} style={{ height: `${layout.height}px` }}
      aria-label={`${title}: ${answer.lanes.length} lanes from ${offset(answer.from_ms, 1)} to ${offset(answer.to_ms, 1)}. Arrow keys go from one rectangle to the next, Enter zooms to it; the menu has a table.`}
    >
      <canvas ref={canvas} style={{ height: `${layout.height}px` }} onMouseMove={point} onMouseDown={(event) => event.button === 0 && (drag.value = [x(event), x(event)])} onMouseUp={drop} onMouseLeave={leave} onDblClick={() => zoomTo(null)} />
      {cursor.value !== null && <i class="lanes-cursor" style={{ left: `${toX(view, cursor.value)}px` }} />}
      {selected && selected.width > 3 && <i class="lanes-drag" style={{ left: `${selected.left}px`, width: `${selected.width}px` }} />}
    </div>
  );
}

export function Lanes() {
  const run = useRun();
  const [box, seen] = useInView<HTMLElement>();
  const table = useSignal(false);
  const said = useSignal("");
  const hand: Hand = { chosen: useSignal(null), drag: useSignal(null), cursor: useSignal(null) };
  const live = run.detail.live && !range.value ? Math.floor(tick.value / 10) : 0;
  const asked = timeRange(run);
  const { data, error } = useLoaded(
    (stop) => getLanes(run.id, asked, box.current?.clientWidth ?? 800, stop).then((answer) => { hand.chosen.value = null; said.value = ""; return answer; }),
    [asked?.[0], asked?.[1], live], seen,
  );
  if (data && data.lanes.length === 0 && !range.value) return null;
  const canvas = () => box.current!.querySelector("canvas")!;
  const cut = data && asked && data.to_ms < asked[1] - 1e-3 * (asked[1] - asked[0]) && data.to_ms < run.endMs - 1;
  const items = data ? [
    { name: "Table", on: table.value, act: () => (table.value = !table.value) },
    { name: "PNG", act: () => canvas().toBlob((blob) => blob && keep(blob, fileName(title, run.id, "png")), "image/png") },
    { name: "SVG", act: () => keep(new Blob([lanesSvg(data, canvas().clientWidth, colour)], { type: "image/svg+xml" }), fileName(title, run.id, "svg")) },
    { name: "CSV", act: () => keep(new Blob([lanesCsv(data)], { type: "text/csv" }), fileName(title, run.id, "csv")) },
    ...(range.value ? [{ name: "Whole run", act: () => zoomTo(null) }] : []),
  ] : [];
  return (
    <section class={`panel lanes${data ? "" : " slot-early"}`} id="panel-lanes" aria-label={title} ref={box}>
      {error && !data && <p class="problem" role="alert">{error.message}</p>}
      {data && (
        <>
          <header>
            <h3>{title}</h3>
            <span class="mark">{asked ? `${milliseconds(data.to_ms - data.from_ms)} of the run` : data.steps.length > 0 ? `${data.steps.length} steps from the middle` : "the run"}</span>
            <Moves run={run} answer={data} />
            <Menu title={title} items={items} />
          </header>
          {cut && <p class="muted">More was recorded than one picture holds: it ends at {offset(data.to_ms, 1)}. Zoom in to see the rest.</p>}
          {data.left_out > 0 && <p class="muted">{data.left_out} more lanes are left out.</p>}
          {data.lanes.length === 0 ? <p class="muted">Nothing of this part of the run is recorded.</p> : <Picture run={run} answer={data} hand={hand} said={said} />}
          <p class="lanes-said" aria-live="polite">{said.value || "\u00a0"}</p>
          <Key answer={data} />
          {table.value && <Table answer={data} />}
        </>
      )}
    </section>
  );
}
