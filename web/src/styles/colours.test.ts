// Lines stand out from the page, and are told apart by those who see no red or no green: by colour or
// by dash. The reports' own colours are held by tests/report/test_colours.py.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { lineDash } from "../plot/palette";

const read = (name: string) => readFileSync(new URL(name, import.meta.url), "utf8");
const css = read("./colours.css") + read("../../../src/report/html/assets/colours.css");
const colours = new Map([...css.matchAll(/--([\w-]+): light-dark\((#\w+), (#\w+)\)/g)].map((found) => [found[1]!, [found[2]!, found[3]!]]));

function rgb(hex: string): number[] {
  const long = hex.length === 4 ? [...hex.slice(1)].map((sign) => sign + sign).join("") : hex.slice(1);
  return [0, 2, 4].map((at) => parseInt(long.slice(at, at + 2), 16) / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
}
const light = (hex: string) => { const [r, g, b] = rgb(hex); return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!; };
const contrast = (a: string, b: string) => { const [high, low] = [light(a), light(b)].sort((x, y) => y - x); return (high! + 0.05) / (low! + 0.05); };

// Machado, Oliveira, Fernandes 2009, severity 1, in linear RGB.
const seen = {
  all: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protan: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deutan: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
};
function oklab(linear: number[]): number[] {
  const [r, g, b] = linear.map((part) => Math.min(1, Math.max(0, part))) as [number, number, number];
  const [l, m, s] = [0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b, 0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b, 0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b].map(Math.cbrt) as [number, number, number];
  return [0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s, 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s, 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s];
}
function distance(a: string, b: string, by: number[][]): number {
  const [one, two] = [a, b].map((hex) => { const linear = rgb(hex); return oklab(by.map((row) => row.reduce((sum, weight, i) => sum + weight * linear[i]!, 0))); });
  return Math.hypot(...one!.map((part, i) => part - two![i]!));
}

describe.each([["light", 0], ["dark", 1]] as const)("%s", (_name, theme) => {
  const of = (name: string) => colours.get(name)![theme]!;
  it("lines and marks stand out from the page", () => {
    for (const name of [...Array(8).keys()].map((i) => `line-${i}`).concat("ok", "warn", "limit", "accent")) expect(contrast(of(name), of("page")), name).toBeGreaterThan(name.startsWith("line") ? 3 : 4.5);
  });
  it("text stands out from all it stands on", () => {
    for (const ground of ["page", "card", "hover", "chosen"]) for (const text of ["text", "muted"]) expect(contrast(of(text), of(ground)), `${text} on ${ground}`).toBeGreaterThan(4.5);
  });
  it.each(Object.entries(seen))("lines are told apart as seen by %s", (_who, by) => {
    for (let i = 0; i < 8; ++i)
      for (let k = 0; k < i; ++k)
        if (lineDash(i).join() === lineDash(k).join()) expect(distance(of(`line-${i}`), of(`line-${k}`), by), `${k} and ${i}`).toBeGreaterThan(0.08);
  });
});
