// A figure on uPlot's canvas.
import uPlot from "uplot";
import { farthest, quantityBeside } from "../format/quantity";
import { xIncrements, xText } from "./axis";
import { columnsOf, type Column, type Drawn, type How } from "./columns_of";
import type { Figure } from "./figure";
import { plotDrawn } from "./first";
import { colour, faint } from "./palette";
import { stairs, type Span } from "./stairs";

export interface Hands {
  extent: [number, number] | null; // of the x axis; null: the figure's own
  spans?: Span[] | undefined; // those of the figure whose data the plot has
  sync: string | null; // panels of one name share the cursor
  zoomed(range: [number, number]): void;
  reset(): void;
  moved(index: number | null): void;
  painted?(plot: uPlot): void;
}

// Of all panels, so that one cursor stands at one place in each.
export const plotLeft = 64;
export const plotRight = 26;

const font = "12px system-ui, sans-serif";

// Of what is in view, and of a bucket on either side, whose middle may lie outside.
function stairPaths(hands: Hands): uPlot.Series.PathBuilder {
  return (plot, series, first, last) => {
    const stroke = new Path2D();
    const fill = new Path2D();
    const x = (value: number) => Math.round(plot.valToPos(value, "x", true));
    const y = (value: number) => Math.round(plot.valToPos(value, "y", true));
    const bottom = y(Math.max(0, plot.scales.y!.min ?? 0));
    for (const stretch of stairs(hands.spans ?? [], plot.data[series] as Column, first - 1, last + 1)) {
      fill.moveTo(x(stretch[0]![0]), bottom);
      stretch.forEach(([at, value], i) => {
        if (i === 0) stroke.moveTo(x(at), y(value));
        else stroke.lineTo(x(at), y(value));
        fill.lineTo(x(at), y(value));
      });
      fill.lineTo(x(stretch[stretch.length - 1]![0]), bottom);
    }
    return { stroke, fill };
  };
}

function seriesOf(drawn: Drawn, figure: Figure, hands: Hands): uPlot.Series {
  const { line, role } = drawn;
  const points = { show: figure.xs.length < 60 && role === "line" && !line.thin && figure.shape === "lines", size: 5 };
  const base: uPlot.Series = { label: line.label, spanGaps: false, points };
  if (role === "low" || role === "high") return { ...base, stroke: "transparent", width: 0, points: { show: false } };
  if (role === "area") {
    const paths = figure.spans ? { paths: stairPaths(hands) } : {};
    return { ...base, stroke: faint(line.colour, 0.9), fill: colour(line.colour), width: 0.5, points: { show: false }, ...paths };
  }
  if (figure.shape === "bars")
    return { ...base, fill: faint(line.colour, 0.75), stroke: colour(line.colour), width: 1, paths: uPlot.paths.bars!({ size: [0.92, 60], align: 0 }), points: { show: false } };
  if (role === "ghost") return { ...base, stroke: faint(line.colour, 0.28), width: 1, points: { show: false } };
  return { ...base, stroke: colour(line.colour), width: line.thin ? 1 : 1.5, dash: line.dash ?? [] };
}

function bandsOf(drawn: Drawn[]): uPlot.Band[] {
  const bands: uPlot.Band[] = [];
  drawn.forEach(({ role, line }, i) => {
    if (role === "high") bands.push({ series: [i + 1, i + 2], fill: faint(line.colour, 0.18) });
  });
  return bands;
}

function yScale(figure: Figure, log: boolean): uPlot.Scale {
  if (log) return { distr: 3, log: 10 };
  const zero = figure.fromZero || figure.shape !== "lines";
  return {
    range: (_plot, low, high) => {
      if (low === null || high === null || !Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
      const bottom = zero ? Math.min(0, low) : low;
      const top = Math.max(high, figure.yTop ?? -Infinity);
      if (bottom === top) return [bottom - Math.abs(bottom || 1) * 0.1, top + Math.abs(top || 1) * 0.1];
      const pad = (top - bottom) * 0.06;
      return [zero && bottom === 0 ? 0 : bottom - pad, top === figure.yTop ? top : top + pad];
    },
  };
}

function axesOf(figure: Figure): uPlot.Axis[] {
  const common = { font, stroke: colour("muted"), grid: { stroke: colour("rule"), width: 1 }, ticks: { show: false } };
  const increments = xIncrements(figure);
  return [
    {
      ...common, space: 70, size: 30, gap: 6, ...(increments ? { incrs: increments } : {}),
      values: (_plot, splits, _axis, _space, step) => splits.map((value) => xText(figure, value, step)),
      grid: { show: false },
    },
    {
      ...common, gap: 6, size: plotLeft, space: 28,
      values: (_plot, splits) => splits.map((value) => (value === null ? "" : quantityBeside(value, farthest(splits), figure.unit))),
    },
  ];
}

export function dataOf(figure: Figure, drawn: Drawn[]): uPlot.AlignedData {
  return [figure.xs, ...drawn.map((one) => one.values)] as uPlot.AlignedData;
}

export function makePlot(into: HTMLElement, figure: Figure, how: How, size: { width: number; height: number }, hands: Hands): uPlot {
  const drawn = columnsOf(figure, how);
  const options: uPlot.Options = {
    ...size,
    padding: [8, plotRight, 0, 0],
    legend: { show: false },
    scales: {
      x: { time: false, range: (_plot, low, high) => hands.extent ?? (low === high ? [low - 0.5, high + 0.5] : [low, high]) },
      y: yScale(figure, how.log && figure.shape === "lines"),
    },
    axes: axesOf(figure),
    series: [{}, ...drawn.map((one) => seriesOf(one, figure, hands))],
    bands: bandsOf(drawn),
    cursor: {
      y: false,
      points: { show: figure.shape === "lines", size: 6 },
      drag: { x: hands.sync !== null, y: false, setScale: false, dist: 4 },
      ...(hands.sync
        ? {
            sync: {
              key: hands.sync, setSeries: false, scales: ["x", null],
              filters: { pub: (kind) => kind === "mousemove" || kind === "mouseleave", sub: () => true },
            },
          }
        : {}),
      bind: { dblclick: () => () => (hands.reset(), null) },
    },
    hooks: {
      setCursor: [(plot) => hands.moved(plot.cursor.left! >= 0 ? (plot.cursor.idx ?? null) : null)],
      setSelect: [
        (plot) => {
          const { left, width } = plot.select;
          if (width < 4) return;
          hands.zoomed([plot.posToVal(left, "x"), plot.posToVal(left + width, "x")]);
          plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        },
      ],
      draw: [
        (plot) => {
          hands.painted?.(plot);
          plotDrawn();
          performance.clearMarks("plot");
          performance.mark("plot"); // what tests/speed.mjs waits for
        },
      ],
    },
  };
  return new uPlot(options, dataOf(figure, drawn), into);
}
