// Events of the run as thin lines across a plot.
import type uPlot from "uplot";
import type { RunEvent } from "../api/types";
import { faint } from "../plot/palette";
import type { StepsAxis } from "../plot/steps_axis";

const most = 80; // more of them are a hatching
const colours: Record<string, string> = { checkpoint: "checkpoint", eval: "eval", alert: "limit", problem: "limit", fix: "accent" };

export const eventColour = (event: RunEvent) => colours[event.kind] ?? "muted";

export function placeOf(event: RunEvent, steps: boolean, axis: StepsAxis): number | null {
  return steps ? (event.step ?? axis.toStep(event.t_ms)) : event.t_ms;
}

export function paintEvents(plot: uPlot, events: RunEvent[], steps: boolean, axis: StepsAxis): void {
  const { left, top, width, height } = plot.bbox;
  const pen = plot.ctx;
  const shown = events.filter((event) => event.kind in colours);
  if (shown.length > most) return;
  pen.save();
  pen.lineWidth = devicePixelRatio;
  pen.setLineDash([2 * devicePixelRatio, 3 * devicePixelRatio]);
  for (const event of shown) {
    const x = placeOf(event, steps, axis);
    const at = x === null ? NaN : plot.valToPos(x, "x", true);
    if (!(at >= left && at <= left + width)) continue;
    pen.strokeStyle = faint(eventColour(event), 0.7);
    pen.beginPath();
    pen.moveTo(at, top);
    pen.lineTo(at, top + height);
    pen.stroke();
  }
  pen.restore();
}
