// Parallel coordinates: a line a run, from its configuration to its results.
import { useSignal } from "@preact/signals";
import type { ConfigDiff, RunDetail } from "../api/types";
import { digits } from "../format/quantity";
import { lineColour, lineDash } from "../plot/palette";
import { runName } from "./overlay";
import { parallelAxes, type ParallelAxis } from "./parallel";

const height = 240;
const top = 34;
const bottom = 30;
const gap = 130;

const y = (value: number) => top + (1 - value) * (height - top - bottom);
const short = (name: string) => name.replace(/^(config|summary)\./, "");

function path(axes: ParallelAxis[], run: number): string {
  let text = "";
  let pen = false;
  axes.forEach((axis, i) => {
    const value = axis.values[run];
    if (value === null || value === undefined) return void (pen = false);
    text += `${pen ? "L" : "M"}${60 + i * gap} ${y(value).toFixed(1)}`;
    pen = true;
  });
  return text;
}

export function Parallel({ details, seen }: { details: RunDetail[]; seen: ConfigDiff | null }) {
  const near = useSignal<number | null>(null);
  const axes = parallelAxes(details, seen ?? undefined);
  if (axes.length < 2) return null;
  const width = 120 + (axes.length - 1) * gap;
  return (
    <section aria-labelledby="h-parallel">
      <h2 id="h-parallel">From configuration to results</h2>
      <div class="table-box" tabIndex={0} role="region" aria-label="Parallel coordinates">
        <svg class="parallel" viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="img" aria-label={`Parallel coordinates of ${details.length} runs over ${axes.map((axis) => axis.name).join(", ")}; the table of the configuration below has the same values`}>
          {details.map((detail, run) => (
            <path key={detail.row.id} d={path(axes, run)} class={`stroke-${lineColour(run)}${near.value === null ? "" : near.value === run ? " near" : " far"}`} stroke-dasharray={lineDash(run).join(" ")} onMouseEnter={() => (near.value = run)} onMouseLeave={() => (near.value = null)}>
              <title>{`${runName(detail)}\n${axes.map((axis) => `${axis.name}: ${axis.said[run]}`).join("\n")}`}</title>
            </path>
          ))}
          {axes.map((axis, i) => (
            <g key={axis.name} transform={`translate(${60 + i * gap} 0)`}>
              <line class="axis" y1={top} y2={height - bottom} />
              <text class={axis.result ? "result" : ""} y="14">{short(axis.name)}</text>
              {axis.words ? axis.words.slice(0, 12).map((word, at) => <text key={word} x="6" y={y(at / Math.max(1, axis.words!.length - 1)) + 4} class="at">{word}</text>) : <><text class="end" y={top - 6}>{digits(axis.high)}</text><text class="end" y={height - bottom + 16}>{digits(axis.low)}</text></>}
            </g>
          ))}
        </svg>
      </div>
    </section>
  );
}
