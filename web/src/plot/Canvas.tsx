// uPlot as a component: made anew only where its shape changes, else it gets new data.
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type uPlot from "uplot";
import { dataOf, makePlot, type Hands } from "./canvas";
import { columnsOf, type How } from "./columns_of";
import type { Figure } from "./figure";
import { theme } from "./palette";

export interface CanvasProps {
  figure: Figure;
  how: How;
  height: number;
  hands: Hands;
  plot: { current: uPlot | null };
}

function shapeOf(figure: Figure, how: How, themeNumber: number): string {
  const lines = figure.lines.map((line) => [line.label, line.colour, line.dash, line.thin, !!line.low]);
  return JSON.stringify([figure.shape, figure.unit, figure.xKind, figure.fromZero, figure.yTop, !!figure.spans, figure.xs.length < 60, lines, how.log, how.smoothing > 0, themeNumber]);
}

// Plots that come into the page together are measured together and made after that: to measure one
// after another has been made lays the whole page out again, once for each.
const toMake: { into: HTMLElement; make: (width: number) => void }[] = [];

function makeSoon(into: HTMLElement, make: (width: number) => void): void {
  if (toMake.push({ into, make }) > 1) return;
  queueMicrotask(() => {
    const all = toMake.splice(0).map((one) => ({ ...one, width: one.into.clientWidth }));
    for (const one of all) queueMicrotask(() => one.make(one.width)); // one that fails stops no other
  });
}

export function Canvas({ figure, how, height, hands, plot }: CanvasProps) {
  const box = useRef<HTMLDivElement>(null);
  const now = useRef({ figure, how, hands });
  now.current = { figure, how, hands };
  const shape = shapeOf(figure, how, theme.value);

  useLayoutEffect(() => {
    const into = box.current!;
    let gone = false;
    const steady: Hands = {
      sync: hands.sync,
      get extent() {
        return now.current.hands.extent;
      },
      get spans() {
        return now.current.figure.spans;
      },
      zoomed: (range) => now.current.hands.zoomed(range),
      reset: () => now.current.hands.reset(),
      moved: (index) => now.current.hands.moved(index),
      painted: (made) => now.current.hands.painted?.(made),
    };
    makeSoon(into, (width) => {
      if (gone) return;
      const latest = now.current;
      plot.current = makePlot(into, latest.figure, latest.how, { width: Math.max(120, width), height }, steady);
    });
    return () => {
      gone = true;
      plot.current?.destroy();
      plot.current = null;
    };
  }, [shape, height]);

  useLayoutEffect(() => {
    plot.current?.setData(dataOf(figure, columnsOf(figure, how)));
  }, [figure, how.smoothing, hands.extent?.[0], hands.extent?.[1]]);

  useEffect(() => {
    const observer = new ResizeObserver(() => {
      const width = box.current?.clientWidth ?? 0;
      if (plot.current && width > 0 && width !== plot.current.width) plot.current.setSize({ width, height });
    });
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, [height]);

  return <div class="canvas" ref={box} />;
}
