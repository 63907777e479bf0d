// The strip that stays on top: where to go, the axis, smoothing, zoom, whether it is live.
import type { ComponentChildren } from "preact";
import { xText } from "../plot/axis";
import { range, setSmoothing, setXKind, smoothing, xKind, zoomTo } from "../plot/view";

function Axis({ steps }: { steps: boolean }) {
  return (
    <div class="choice" role="group" aria-label="Axis">
      <button type="button" aria-pressed={xKind.value === "time"} onClick={() => setXKind("time")}>Time</button>
      <button type="button" aria-pressed={xKind.value === "step"} disabled={!steps} onClick={() => setXKind("step")}>Steps</button>
    </div>
  );
}

function Smooth() {
  return (
    <label class="smooth">
      Smooth
      <input type="range" min="0" max="0.99" step="0.01" value={smoothing.value} aria-valuetext={smoothing.value ? `weight ${smoothing.value}` : "off"} onInput={(event) => setSmoothing(Number(event.currentTarget.value))} />
      <output>{smoothing.value ? smoothing.value.toFixed(2) : "off"}</output>
    </label>
  );
}

export function Zoom() {
  const now = range.value;
  if (!now) return null;
  const figure = { title: "", unit: "", xKind: xKind.value, xs: [], lines: [], shape: "lines" as const };
  const text = (value: number) => xText(figure, value, (now[1] - now[0]) / 100);
  return <button type="button" class="zoomed" onClick={() => zoomTo(null)} title="Back to the whole run (z)">{text(now[0])} – {text(now[1])} <span aria-hidden="true">×</span><span class="sr">show the whole run</span></button>;
}

export function RunTools({ steps, live, children }: { steps: boolean; live: boolean; children?: ComponentChildren }) {
  return (
    <div class="run-tools">
      {children}
      <span class="push" />
      <Zoom />
      {live && <span class="live" role="status">live</span>}
      <Smooth />
      <Axis steps={steps} />
    </div>
  );
}
