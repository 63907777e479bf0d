// Lanes as files: every rectangle as a line of CSV, or the picture as SVG.
import type { LanesAnswer } from "../api/types";
import { cell } from "../plot/csv";
import { plotLeft, plotRight } from "../plot/canvas";
import { colourOf } from "./colours";
import { axisHeight, laneHeight, layoutOf, spanOf, ticks } from "./layout";

export function lanesCsv(answer: LanesAnswer): string {
  const rows = [["group", "lane", "name", "begin_ms", "end_ms", "filled_ms", "count"]];
  answer.lanes.forEach((lane, i) =>
    lane.spans.forEach((_one, at) => {
      const span = spanOf(answer, i, at);
      rows.push([lane.group, lane.label, span.name.text, String(span.begin), String(span.end), String(span.filled), String(span.count)]);
    }),
  );
  return `${rows.map((row) => row.map(cell).join(",")).join("\r\n")}\r\n`;
}

const escaped = (text: string) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

export function lanesSvg(answer: LanesAnswer, width: number, colour: (name: string) => string): string {
  const layout = layoutOf(answer);
  const x = (ms: number) => plotLeft + ((ms - answer.from_ms) / (answer.to_ms - answer.from_ms)) * (width - plotLeft - plotRight);
  const text = (at: number, y: number, words: string, more = "") => `<text x="${at.toFixed(1)}" y="${y}" fill="${colour("text")}" ${more}>${escaped(words)}</text>`;
  const parts = [`<rect width="${width}" height="${layout.height}" fill="${colour("page")}"/>`];
  for (const { step, at_ms } of answer.steps) parts.push(`<line x1="${x(at_ms).toFixed(1)}" x2="${x(at_ms).toFixed(1)}" y1="0" y2="${layout.height - axisHeight}" stroke="${colour("rule")}"><title>step ${step}</title></line>`);
  for (const head of layout.heads) parts.push(text(2, head.top + 16, head.text, 'font-weight="600"'));
  for (const { lane, top } of layout.rows) {
    parts.push(text(plotLeft - 6, top + 14, answer.lanes[lane]!.label, 'text-anchor="end"'));
    answer.lanes[lane]!.spans.forEach((_one, at) => {
      const span = spanOf(answer, lane, at);
      const share = Math.min(1, span.filled / Math.max(span.end - span.begin, 1e-9));
      parts.push(`<rect x="${x(span.begin).toFixed(2)}" y="${top + 2}" width="${Math.max(0.5, x(span.end) - x(span.begin)).toFixed(2)}" height="${laneHeight - 4}" fill="${colour(colourOf(answer.lanes[lane]!.kind, span.name.kind))}" fill-opacity="${(0.3 + 0.7 * share).toFixed(2)}"><title>${escaped(span.name.text)}</title></rect>`);
    });
  }
  for (const { at, text: words } of ticks(answer.from_ms, answer.to_ms, width / 110)) parts.push(text(x(at), layout.height - 8, words, 'text-anchor="middle"'));
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${layout.height}" font-family="system-ui, sans-serif" font-size="11.5">${parts.join("")}</svg>`;
}
