// A panel as a file: CSV, SVG, or the canvas with its title and legend as PNG.
import { toCsv } from "./csv";
import type { How } from "./columns_of";
import type { Figure } from "./figure";
import { colour } from "./palette";
import { toSvg } from "./svg";

export function keep(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export const fileName = (title: string, run: string, ending: string) =>
  `${run}-${title.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "") || "panel"}.${ending}`;

export function saveCsv(figure: Figure, run: string): void {
  keep(new Blob([toCsv(figure)], { type: "text/csv" }), fileName(figure.title, run, "csv"));
}

export function saveSvg(figure: Figure, how: How, run: string): void {
  keep(new Blob([toSvg(figure, how, { colour })], { type: "image/svg+xml" }), fileName(figure.title, run, "svg"));
}

export function savePng(figure: Figure, source: HTMLCanvasElement, run: string): void {
  const ratio = devicePixelRatio || 1;
  const head = 48 * ratio;
  const target = document.createElement("canvas");
  target.width = source.width;
  target.height = source.height + head;
  const pen = target.getContext("2d")!;
  pen.fillStyle = colour("page");
  pen.fillRect(0, 0, target.width, target.height);
  pen.drawImage(source, 0, head);
  pen.scale(ratio, ratio);
  pen.fillStyle = colour("text");
  pen.font = "600 15px system-ui, sans-serif";
  pen.fillText(figure.title, 12, 20);
  pen.font = "12px system-ui, sans-serif";
  let x = 12;
  for (const line of figure.lines) {
    pen.fillStyle = colour(line.colour);
    pen.fillRect(x, 32, 12, 4);
    pen.fillStyle = colour("text");
    pen.fillText(line.label, x + 16, 38);
    x += 30 + pen.measureText(line.label).width;
  }
  target.toBlob((blob) => blob && keep(blob, fileName(figure.title, run, "png")), "image/png");
}
