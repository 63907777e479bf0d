// Ranks over time: how long their steps take. One that falls behind is a bright line.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { getRanks } from "../api/runs";
import type { RanksAnswer } from "../api/types";
import { offset } from "../format/moment";
import { milliseconds } from "../format/quantity";
import { plotLeft, plotRight } from "../plot/canvas";
import { Menu } from "../plot/Menu";
import { theme } from "../plot/palette";
import { useInView, useLoaded } from "../plot/useLoaded";
import { tick, xKind } from "../plot/view";
import { extentOf, useRun } from "./context";
import { cellAt, heatColour, heatColours, heatScale, type HeatScale } from "./heat";


interface Painted {
  answer: RanksAnswer;
  scale: HeatScale;
  extent: [number, number];
  place(ms: number): number | null;
}

function paint(canvas: HTMLCanvasElement, { answer, scale, extent, place }: Painted): void {
  const ratio = devicePixelRatio || 1;
  const { clientWidth: width, clientHeight: height } = canvas;
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  const pen = canvas.getContext("2d")!;
  pen.scale(ratio, ratio);
  const rowHeight = height / answer.ranks.length;
  const x = (value: number) => ((value - extent[0]) / (extent[1] - extent[0])) * width;
  answer.step_ms.forEach((row, rank) =>
    row.forEach((value, bucket) => {
      const from = place(answer.edges_ms[bucket]!);
      const to = place(answer.edges_ms[bucket + 1]!);
      if (value === null || from === null || to === null) return;
      pen.fillStyle = heatColour(value, scale);
      pen.fillRect(x(from), rank * rowHeight, Math.max(1, x(to) - x(from) + 0.5), Math.max(1, rowHeight - 1));
    }),
  );
}

function Table({ answer }: { answer: RanksAnswer }) {
  const mean = (row: (number | null)[]) => {
    const known = row.filter((value): value is number => value !== null);
    return known.length ? known.reduce((sum, value) => sum + value, 0) / known.length : null;
  };
  return (
    <div class="table-box" tabIndex={0} role="region" aria-label="Step time by rank">
      <table>
        <thead><tr><th scope="col">Rank</th><th scope="col">Mean step</th><th scope="col">Longest</th></tr></thead>
        <tbody>{answer.ranks.map((one, i) => {
          const row = answer.step_ms[i] ?? [];
          const average = mean(row);
          return <tr key={one.rank}><th scope="row">{one.label ?? `rank ${one.rank}`}</th><td>{average === null ? "–" : milliseconds(average)}</td><td>{average === null ? "–" : milliseconds(Math.max(...row.map((value) => value ?? 0)))}</td></tr>;
        })}</tbody>
      </table>
    </div>
  );
}

export function RankMap() {
  const run = useRun();
  const [box, seen] = useInView<HTMLElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const table = useSignal(false);
  const said = useSignal("");
  const { data } = useLoaded((stop) => getRanks(run.id, stop), [run.detail.live ? Math.floor(tick.value / 5) : 0], seen);
  const several = !!data && data.ranks.length > 1;
  const extent = extentOf(run);
  const place = (ms: number) => (xKind.value === "step" ? run.axis.toStep(ms) : ms);
  const scale = heatScale(data?.step_ms ?? []);
  useEffect(() => {
    if (!several || !canvas.current) return;
    const again = () => canvas.current && paint(canvas.current, { answer: data, scale, extent, place });
    again();
    addEventListener("resize", again);
    return () => removeEventListener("resize", again);
  }, [data, extent[0], extent[1], xKind.value, theme.value]);
  const point = (event: MouseEvent) => {
    if (!data) return;
    const at = canvas.current!.getBoundingClientRect();
    const x = extent[0] + ((event.clientX - at.left) / at.width) * (extent[1] - extent[0]);
    const cell = cellAt(data, x, Math.floor(((event.clientY - at.top) / at.height) * data.ranks.length), place);
    const value = cell && data.step_ms[cell.rank]?.[cell.bucket];
    said.value = cell && value != null ? `${data.ranks[cell.rank]!.label ?? `rank ${data.ranks[cell.rank]!.rank}`} at ${offset(data.edges_ms[cell.bucket]!, 100)}: ${milliseconds(value)}` : "";
  };
  if (data && !several) return null;
  return (
    <section class={`panel${several ? "" : " slot-early"}`} id="ranks" aria-label="Step time of the ranks" ref={box}>
      {several && (
        <>
          <header><h3>Step time of the ranks</h3><span class="mark">{said}</span><Menu title="Step time of the ranks" items={[{ name: "Table", on: table.value, act: () => (table.value = !table.value) }]} /></header>
          <div class="heat" style={{ height: `${Math.min(360, Math.max(60, data.ranks.length * 18))}px` }}>
            <div class="heat-names" aria-hidden="true" style={{ width: `${plotLeft}px` }}>{data.ranks.map((one) => <span key={one.rank}>{one.rank}</span>)}</div>
            <canvas ref={canvas} role="img" aria-label={`Step time of ${data.ranks.length} ranks over the run, from ${milliseconds(scale.low)} to ${milliseconds(scale.high)}; the menu has a table`} style={{ marginRight: `${plotRight}px` }} onMouseMove={point} onMouseLeave={() => (said.value = "")} />
          </div>
          <p class="heat-key" aria-hidden="true">{milliseconds(scale.low)}<svg viewBox="0 0 90 8">{heatColours.map((fill, i) => <rect key={fill} x={i * 10} width="10" height="8" fill={fill} />)}</svg>{milliseconds(scale.high)}</p>
          {table.value && <Table answer={data} />}
        </>
      )}
    </section>
  );
}
