// A panel of recorded series: readings of the machine, or values that the program logged.
import type { ComponentChildren } from "preact";
import { getSeries } from "../api/runs";
import type { SeriesInfo } from "../api/types";
import { align } from "../plot/align";
import { isEmpty, type Figure, type Line } from "../plot/figure";
import { Panel } from "../plot/Panel";
import { lineColour, lineDash } from "../plot/palette";
import { useInView, useLoaded } from "../plot/useLoaded";
import { range, tick, xKind } from "../plot/view";
import { extentWith, timeRange, useRun, type RunContext } from "./context";
import { paintEvents } from "./marks";
import { Failure, Waiting } from "./placeholders";

export interface Shown {
  info: SeriesInfo;
  label: string;
  scale?: number; // what its values are multiplied with
  thin?: boolean;
}

export interface SeriesPanelProps {
  id: string;
  title: string;
  unit: string;
  series: Shown[];
  shape?: "lines" | "stack";
  fromZero?: boolean;
  yTop?: number;
  marks?: ComponentChildren;
  smooth?: boolean;
}

const scaled = (values: (number | null)[] | undefined, by: number | undefined) =>
  by === undefined || !values ? values : values.map((value) => (value === null ? null : value * by));

async function load(run: RunContext, props: SeriesPanelProps, width: number, stop: AbortSignal): Promise<Figure> {
  // Values have steps of their own; readings of the machine have times, which are put on steps here.
  const own = xKind.peek() === "step" && props.series.every(({ info }) => info.kind !== "metric" && info.first_step != null);
  const asked = own ? range.peek() : timeRange(run);
  const answer = await getSeries(run.id, { keys: props.series.map(({ info }) => info.key), x: own ? "step" : "time", range: asked, width }, stop);
  const found = new Map(answer.map((one) => [one.key, one]));
  const shown = props.series.filter(({ info }) => found.has(info.key));
  const { xs, columns } = align(shown.map(({ info }) => found.get(info.key)!));
  const lines: Line[] = shown.map((one, i) => {
    const { values, low, high } = columns[i]!;
    const band = low && high && props.shape !== "stack" ? { low: scaled(low, one.scale)!, high: scaled(high, one.scale)! } : {};
    return {
      label: one.label, values: scaled(values, one.scale)!, ...band,
      colour: one.thin ? "limit" : lineColour(i), dash: one.thin ? [2, 3] : props.shape === "stack" ? [] : lineDash(i), ...(one.thin ? { thin: true } : {}),
    };
  });
  const figure: Figure = {
    title: props.title, unit: props.unit, xKind: xKind.peek(), xs, lines, shape: props.shape ?? "lines",
    ...(props.fromZero ? { fromZero: true } : {}), ...(props.yTop === undefined ? {} : { yTop: props.yTop }),
  };
  return own || xKind.peek() === "time" ? figure : onSteps(figure, run);
}

function onSteps(figure: Figure, run: RunContext): Figure {
  const places = figure.xs.map((ms) => run.axis.toStep(ms));
  const kept = places.flatMap((place, i) => (place === null ? [] : [i]));
  const pick = <T,>(values: T[] | undefined) => values && kept.map((i) => values[i]!);
  return {
    ...figure,
    xs: kept.map((i) => places[i]!),
    lines: figure.lines.map((line) => ({
      ...line, values: pick(line.values)!, ...(line.low && line.high ? { low: pick(line.low)!, high: pick(line.high)! } : {}),
    })),
  };
}

function nothingOf(figure: Figure): string {
  if (figure.xs.length > 0) return "no number here: all are NaN or infinite";
  return range.value ? "nothing in this part of the run" : "has no place on this axis";
}

export function SeriesPanel(props: SeriesPanelProps) {
  const run = useRun();
  const [box, seen] = useInView<HTMLDivElement>(true);
  const live = run.detail.live && !range.value ? tick.value : 0;
  const keys = props.series.map(({ info }) => info.key).join("\n");
  const { data, error } = useLoaded(
    (stop) => load(run, props, box.current?.clientWidth ?? 600, stop),
    [keys, xKind.value, range.value?.[0], range.value?.[1], live, run.axis.extent?.[1]], seen,
  );
  return (
    <div class="slot" ref={box}>
      {error && !data && <Failure title={props.title} error={error} />}
      {!data && !error && <Waiting title={props.title} />}
      {data && isEmpty(data) && <Waiting title={props.title} text={nothingOf(data)} />}
      {data && !isEmpty(data) && (
        <Panel
          id={props.id} run={run.id} figure={data} extent={extentWith(run, props.series.map(({ info }) => info))} marks={props.marks} smooth={props.smooth ?? true}
          painted={(plot) => paintEvents(plot, run.events, xKind.peek() === "step", run.axis)}
        />
      )}
    </div>
  );
}
