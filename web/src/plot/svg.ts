// A figure as an SVG that stands alone: written by hand, since what it needs is a dozen elements.
import { farthest, quantityBeside } from "../format/quantity";
import { ticks, xIncrements, xText } from "./axis";
import { columnsOf, type Column, type Drawn, type How } from "./columns_of";
import type { Figure } from "./figure";
import { stairs } from "./stairs";

export interface Paint {
  colour(name: string): string;
}

const size = { width: 900, height: 380, left: 72, right: 20, top: 44, bottom: 36 };

export const escape = (text: string) =>
  text.replace(/[&<>"]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign]!);

interface Place {
  x(value: number): number;
  y(value: number): number;
  low: number;
  high: number;
  x0: number; // the ends of the x axis
  x1: number;
}

function places(figure: Figure, drawn: Drawn[], log: boolean): Place {
  let low = Infinity;
  let high = -Infinity;
  for (const { values } of drawn)
    for (const value of values) if (value !== null) (low = Math.min(low, value)), (high = Math.max(high, value));
  if (low > high) [low, high] = [0, 1];
  if (!log && (figure.fromZero || figure.shape !== "lines")) low = Math.min(0, low);
  high = Math.max(high, figure.yTop ?? high);
  if (low === high) high = low + 1;
  const x0 = figure.spans?.[0]?.[0] ?? figure.xs[0] ?? 0;
  const x1 = figure.spans?.at(-1)?.[1] ?? figure.xs[figure.xs.length - 1] ?? 1;
  const scale = (value: number) => (log ? Math.log10(value) : value);
  const wide = size.width - size.left - size.right;
  const tall = size.height - size.top - size.bottom;
  return {
    low, high, x0, x1,
    x: (value) => size.left + ((value - x0) / (x1 - x0 || 1)) * wide,
    y: (value) => size.height - size.bottom - ((scale(value) - scale(low)) / (scale(high) - scale(low) || 1)) * tall,
  };
}

const round = (value: number) => String(Math.round(value * 10) / 10);

function path(figure: Figure, values: Column, place: Place): string {
  let text = "";
  let pen = false;
  values.forEach((value, i) => {
    if (value === null) return void (pen = false);
    text += `${pen ? "L" : "M"}${round(place.x(figure.xs[i]!))} ${round(place.y(value))}`;
    pen = true;
  });
  return text;
}

function area(figure: Figure, values: Column, place: Place, floor: (i: number) => number): string {
  const known = values.flatMap((value, i) => (value === null ? [] : [i]));
  if (known.length === 0) return "";
  const point = (i: number, y: number) => `${round(place.x(figure.xs[i]!))} ${round(y)}`;
  const upper = known.map((i) => point(i, place.y(values[i]!))).join("L");
  const lower = known.reverse().map((i) => point(i, floor(i))).join("L");
  return `M${upper}L${lower}Z`;
}

function steps(figure: Figure, values: Column, place: Place, bottom: number): string {
  return stairs(figure.spans!, values)
    .map((stretch) => {
      const at = (i: number) => round(place.x(stretch.at(i)![0]));
      return `M${at(0)} ${round(bottom)}${stretch.map(([x, y]) => `L${round(place.x(x))} ${round(place.y(y))}`).join("")}L${at(-1)} ${round(bottom)}Z`;
    })
    .join("");
}

function shape(figure: Figure, drawn: Drawn, next: Drawn | undefined, place: Place, paint: Paint): string {
  const { line, role, values } = drawn;
  const ink = paint.colour(line.colour);
  const bottom = place.y(Math.max(place.low, 0));
  if (role === "low") return "";
  if (role === "high")
    return `<path d="${area(figure, values, place, (i) => place.y(next?.values[i] ?? values[i]!))}" fill="${ink}" opacity=".18"/>`;
  if (role === "area" && figure.spans) return `<path d="${steps(figure, values, place, bottom)}" fill="${ink}"/>`;
  if (role === "area") return `<path d="${area(figure, values, place, () => bottom)}" fill="${ink}"/>`;
  if (figure.shape === "bars") {
    const wide = Math.max(1, ((size.width - size.left - size.right) / Math.max(1, values.length)) * 0.9);
    return values
      .map((value, i) => (value === null ? "" : `<rect x="${round(place.x(figure.xs[i]!) - wide / 2)}" y="${round(place.y(value))}" width="${round(wide)}" height="${round(bottom - place.y(value))}" fill="${ink}"/>`))
      .join("");
  }
  const dash = line.dash?.length ? ` stroke-dasharray="${line.dash.join(" ")}"` : "";
  return `<path d="${path(figure, values, place)}" fill="none" stroke="${ink}" stroke-width="1.5"${dash}${role === "ghost" ? ' opacity=".3"' : ""}/>`;
}

function legend(figure: Figure, paint: Paint): string {
  let x = size.left;
  return figure.lines
    .map((line) => {
      const text = `<rect x="${x}" y="28" width="12" height="4" fill="${paint.colour(line.colour)}"/><text x="${x + 16}" y="34">${escape(line.label)}</text>`;
      x += 30 + line.label.length * 6.5;
      return text;
    })
    .join("");
}

export function toSvg(figure: Figure, how: How, paint: Paint): string {
  const log = how.log && figure.shape === "lines";
  const drawn = columnsOf(figure, { ...how, log });
  const place = places(figure, drawn, log);
  const ySplits = log
    ? ticks(Math.floor(Math.log10(place.low)), Math.ceil(Math.log10(place.high)), 5).map((power) => 10 ** power).filter((value) => value >= place.low * 0.999 && value <= place.high * 1.001)
    : ticks(place.low, place.high, 6);
  const xSplits = ticks(place.x0, place.x1, 8, xIncrements(figure));
  const right = size.width - size.right;
  const bottom = size.height - size.bottom;
  const step = (xSplits[1] ?? 0) - (xSplits[0] ?? 0);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" width="${size.width}" height="${size.height}" font-family="system-ui, sans-serif" font-size="12">`,
    `<title>${escape(figure.title)}</title>`,
    `<rect width="100%" height="100%" fill="${paint.colour("page")}"/>`,
    `<g fill="${paint.colour("text")}"><text x="${size.left}" y="18" font-size="15" font-weight="600">${escape(figure.title)}</text>${legend(figure, paint)}</g>`,
    ...ySplits.map((value) => `<line x1="${size.left}" x2="${right}" y1="${round(place.y(value))}" y2="${round(place.y(value))}" stroke="${paint.colour("rule")}"/><text x="${size.left - 8}" y="${round(place.y(value) + 4)}" text-anchor="end" fill="${paint.colour("muted")}">${escape(quantityBeside(value, farthest(ySplits), figure.unit))}</text>`),
    ...xSplits.map((value) => `<text x="${round(place.x(value))}" y="${bottom + 20}" text-anchor="middle" fill="${paint.colour("muted")}">${escape(xText(figure, value, step))}</text>`),
    ...drawn.map((one, i) => shape(figure, one, drawn[i + 1], place, paint)),
    "</svg>",
  ].join("\n");
}
