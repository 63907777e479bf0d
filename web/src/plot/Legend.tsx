// The lines of a panel: what they are called, how they look, what they are under the cursor. A
// click shows one alone, with Shift it switches one off.
import type { Signal } from "@preact/signals";
import { quantity } from "../format/quantity";
import type { Figure, Line } from "./figure";
import { spread } from "./figure";
import { hiddenLines, solo, toggleLine } from "./view";

function Swatch({ line, filled }: { line: Line; filled: boolean }) {
  return (
    <svg class="swatch" viewBox="0 0 20 10" aria-hidden="true">
      {filled ? (
        <rect x="3" y="1" width="14" height="8" rx="2" class={`fill-${line.colour}`} />
      ) : (
        <line x1="0" x2="20" y1="5" y2="5" class={`stroke-${line.colour}`} stroke-width="2.5" stroke-dasharray={line.dash?.join(" ") ?? ""} />
      )}
    </svg>
  );
}

function Value({ line, figure, cursor }: { line: Line; figure: Figure; cursor: Signal<number | null> }) {
  const at = cursor.value;
  const value = at === null ? (spread(line)?.last ?? null) : (line.values[at] ?? null);
  return <span class="value">{quantity(value, line.unit ?? figure.unit)}</span>;
}

export function Legend({ panel, figure, cursor }: { panel: string; figure: Figure; cursor: Signal<number | null> }) {
  const hidden = hiddenLines(panel);
  const labels = figure.lines.map((line) => line.label);
  const filled = figure.shape !== "lines";
  if (figure.lines.length === 1 && !figure.lines[0]!.label) return null;
  return (
    <div class="legend">
      {figure.lines.map((line) => (
        <button
          type="button"
          key={line.label}
          aria-pressed={!hidden.has(line.label)}
          title="Click: alone. Shift-click: on or off."
          onClick={(event) => (event.shiftKey ? toggleLine(panel, line.label) : solo(panel, line.label, labels))}
        >
          <Swatch line={line} filled={filled && !line.thin} />
          <span class="label">{line.label}</span>
          <Value line={line} figure={figure} cursor={cursor} />
        </button>
      ))}
    </div>
  );
}
