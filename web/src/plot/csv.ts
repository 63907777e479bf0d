// A figure as comma-separated values: what is shown, at the resolution it is shown at.
import type { Figure } from "./figure";

export function cell(value: string): string {
  // A spreadsheet takes what begins so as a formula.
  const safe = /^[=+\-@\t\r]/.test(value) && !Number.isFinite(Number(value)) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function toCsv(figure: Figure): string {
  const x = figure.xKind === "time" ? "time_ms" : figure.xKind === "step" ? "step" : figure.xUnit || "x";
  const head = [x];
  for (const line of figure.lines) {
    const name = figure.lines.length > 1 || line.label ? line.label : figure.title;
    head.push(name);
    if (line.low && line.high) head.push(`${name} min`, `${name} max`);
  }
  const rows = [head.map(cell).join(",")];
  const text = (value: number | null | undefined) => (value === null || value === undefined ? "" : String(value));
  figure.xs.forEach((place, i) => {
    const row = [String(place)];
    for (const line of figure.lines) {
      row.push(text(line.values[i]));
      if (line.low && line.high) row.push(text(line.low[i]), text(line.high[i]));
    }
    rows.push(row.join(","));
  });
  return `${rows.join("\r\n")}\r\n`;
}
