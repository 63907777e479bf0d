// One plot with all that belongs to it: title, marks, menu, legend, cursor by keyboard, table.
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { ComponentChildren } from "preact";
import type uPlot from "uplot";
import { quantity } from "../format/quantity";
import { xPlace } from "./axis";
import { Canvas } from "./Canvas";
import { DataTable } from "./DataTable";
import { spread, without, type Figure } from "./figure";
import { Legend } from "./Legend";
import { Menu, type MenuItem } from "./Menu";
import { saveCsv, savePng, saveSvg } from "./save";
import { hiddenLines, logPanels, range, smoothing, toggleLog, zoomTo } from "./view";

export interface PanelProps {
  id: string;
  run: string; // for names of files
  figure: Figure;
  extent: [number, number] | null;
  sync?: string | null;
  height?: number;
  marks?: ComponentChildren;
  painted?: (plot: uPlot) => void;
  smooth?: boolean;
}

function summary(figure: Figure): string {
  const parts = figure.lines.slice(0, 8).flatMap((line) => {
    const found = spread(line);
    const unit = line.unit ?? figure.unit;
    return found ? [`${line.label || figure.title}: ${quantity(found.low, unit)} to ${quantity(found.high, unit)}, last ${quantity(found.last, unit)}`] : [];
  });
  return `${figure.title}. ${parts.join("; ")}. Left and right arrow keys move the cursor.`;
}

function reading(figure: Figure, at: number): string {
  const values = figure.lines.map((line) => `${line.label || figure.title} ${quantity(line.values[at], line.unit ?? figure.unit)}`);
  return `${xPlace(figure, figure.xs[at]!)}: ${values.join(", ")}`;
}

export function Panel(props: PanelProps) {
  const { id, run, figure, extent, sync = "run", height = 190 } = props;
  const cursor = useSignal<number | null>(null);
  const spoken = useSignal("");
  const table = useSignal(false);
  const plot = useRef<uPlot | null>(null);
  const log = logPanels.value.has(id) && figure.shape === "lines";
  const how = { log, smoothing: props.smooth === false || figure.shape !== "lines" ? 0 : smoothing.value };
  const shown = without(figure, hiddenLines(id));

  const move = (by: number) => {
    const count = figure.xs.length;
    if (!plot.current || count === 0) return;
    const next = Math.min(count - 1, Math.max(0, (cursor.peek() ?? (by > 0 ? -1 : count)) + by));
    const place = { left: plot.current.valToPos(figure.xs[next]!, "x"), top: 10 };
    // Its third argument, which its types leave out, takes the other panels along.
    (plot.current.setCursor as (at: typeof place, fire: boolean, publish: boolean) => void)(place, true, true);
    cursor.value = next;
    spoken.value = reading(figure, next);
  };
  const onKey = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1, PageUp: -20, PageDown: 20, Home: -1e9, End: 1e9 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    move(by);
  };
  const items: MenuItem[] = [
    { name: "Table", on: table.value, act: () => (table.value = !table.value) },
    { name: "PNG", act: () => plot.current && savePng(shown, plot.current.ctx.canvas, run) },
    { name: "SVG", act: () => saveSvg(shown, how, run) },
    { name: "CSV", act: () => saveCsv(shown, run) },
  ];
  if (figure.shape === "lines") items.unshift({ name: "Log axis", on: log, act: () => toggleLog(id) });
  if (range.value && sync) items.push({ name: "Whole run", act: () => zoomTo(null) });

  return (
    <section class="panel" id={`panel-${id}`} aria-label={figure.title}>
      <header>
        <h3>{figure.title}</h3>
        {props.marks}
        <Menu title={figure.title} items={items} />
      </header>
      <div class="plot" tabIndex={0} role="img" aria-label={summary(shown)} onKeyDown={onKey}>
        <Canvas
          figure={shown} how={how} height={height} plot={plot}
          hands={{ extent, sync, zoomed: zoomTo, reset: () => zoomTo(null), moved: (at) => (cursor.value = at), ...(props.painted ? { painted: props.painted } : {}) }}
        />
      </div>
      <Legend panel={id} figure={figure} cursor={cursor} />
      <p class="spoken" aria-live="polite">{spoken}</p>
      {table.value && <DataTable figure={shown} />}
    </section>
  );
}
