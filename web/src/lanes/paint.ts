// Lanes on a canvas.
import type { LanesAnswer } from "../api/types";
import { plotLeft, plotRight } from "../plot/canvas";
import { colour } from "../plot/palette";
import { colourOf } from "./colours";
import { axisHeight, laneHeight, spanOf, ticks, type Layout, type Place } from "./layout";

const font = "11px system-ui, sans-serif";
const leastText = 34; // pixels, of a rectangle whose name is written in it

export interface View {
  answer: LanesAnswer;
  layout: Layout;
  width: number;
}

export const toX = ({ answer, width }: View, ms: number): number => plotLeft + ((ms - answer.from_ms) / (answer.to_ms - answer.from_ms)) * (width - plotLeft - plotRight);
export const toMs = ({ answer, width }: View, x: number): number => answer.from_ms + ((x - plotLeft) / (width - plotLeft - plotRight)) * (answer.to_ms - answer.from_ms);

// Black or white, whichever is read better upon it.
export function inkOn(fill: string): string {
  const [r = 0, g = 0, b = 0] = (fill.match(/[\d.]+/g) ?? []).map((part) => { const share = Number(part) / 255; return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4; });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.18 ? "#000" : "#fff";
}

function fitted(pen: CanvasRenderingContext2D, text: string, room: number): string {
  if (pen.measureText(text).width <= room) return text;
  let length = Math.floor((room / pen.measureText(text).width) * text.length) - 1;
  while (length > 1 && pen.measureText(`${text.slice(0, length)}…`).width > room) --length;
  return length > 1 ? `${text.slice(0, length)}…` : "";
}

function paintSpan(pen: CanvasRenderingContext2D, view: View, lane: number, at: number, top: number): void {
  const span = spanOf(view.answer, lane, at);
  const from = toX(view, span.begin);
  const width = toX(view, span.end) - from;
  const fill = colour(colourOf(view.answer.lanes[lane]!.kind, span.name.kind));
  const share = span.filled / Math.max(span.end - span.begin, 1e-9);
  pen.fillStyle = fill;
  pen.globalAlpha = 0.3 + 0.7 * Math.min(1, share);
  pen.fillRect(from, top + 2, Math.max(width - (width > 3 ? 1 : 0), 0.6), laneHeight - 4);
  pen.globalAlpha = 1;
  if (width < leastText || span.count > 1) return;
  pen.fillStyle = inkOn(fill);
  pen.fillText(fitted(pen, span.name.text.replaceAll("_", " "), width - 8), from + 4, top + laneHeight / 2 + 0.5);
}

function paintAxis(pen: CanvasRenderingContext2D, view: View): void {
  const { answer, layout, width } = view;
  const bottom = layout.height - axisHeight;
  pen.textAlign = "center";
  for (const { at, text } of ticks(answer.from_ms, answer.to_ms, (width - plotLeft - plotRight) / 110)) {
    const x = toX(view, at);
    pen.fillStyle = colour("rule");
    pen.fillRect(x, bottom, 1, 4);
    pen.fillStyle = colour("muted");
    pen.fillText(text, x, bottom + 14);
  }
  pen.textAlign = "left";
  let free = -Infinity;
  for (const { step, at_ms } of answer.steps) {
    const x = toX(view, at_ms);
    pen.fillStyle = colour("rule");
    pen.fillRect(x, 0, 1, bottom);
    const text = `step ${step}`;
    if (x < free) continue;
    pen.fillStyle = colour("muted");
    pen.fillText(text, x + 4, 8);
    free = x + pen.measureText(text).width + 12;
  }
}

export function paintLanes(canvas: HTMLCanvasElement, view: View, chosen: Place | null): void {
  const ratio = devicePixelRatio || 1;
  const { layout, width, answer } = view;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(layout.height * ratio);
  const pen = canvas.getContext("2d")!;
  pen.scale(ratio, ratio);
  pen.font = font;
  pen.textBaseline = "middle";
  paintAxis(pen, view);
  for (const { text, top } of layout.heads) {
    pen.font = `600 ${font}`;
    pen.fillStyle = colour("page");
    pen.fillRect(0, top + 2, pen.measureText(text).width + 8, 18);
    pen.fillStyle = colour("text");
    pen.fillText(text, 2, top + 12);
  }
  pen.font = font;
  for (const { lane, top } of layout.rows) {
    pen.fillStyle = colour("muted");
    pen.textAlign = "right";
    pen.fillText(fitted(pen, answer.lanes[lane]!.label, plotLeft - 6), plotLeft - 5, top + laneHeight / 2 + 0.5);
    pen.textAlign = "left";
    answer.lanes[lane]!.spans.forEach((_span, at) => paintSpan(pen, view, lane, at, top));
  }
  if (!chosen) return;
  const row = layout.rows.find((one) => one.lane === chosen.lane)!;
  const span = spanOf(answer, chosen.lane, chosen.span);
  const from = toX(view, span.begin);
  pen.strokeStyle = colour("text");
  pen.lineWidth = 2;
  pen.strokeRect(from - 1, row.top + 1, Math.max(3, toX(view, span.end) - from + 1), laneHeight - 2);
}
