// Colours by name, as the style sheet has them for light and for dark, and dashes, so that no line
// is told from another by its colour alone.
import { signal } from "@preact/signals";

const lines = 8;
const dashes: number[][] = [[], [9, 3], [3, 3], [9, 3, 3, 3]];

export const lineColour = (index: number) => `line-${index % lines}`;
export const lineDash = (index: number) => dashes[index % dashes.length]!;

// Counts changes of the colour scheme; who paints reads it.
export const theme = signal(0);

let probe: HTMLElement | null = null;
const known = new Map<string, string>();

export function colour(name: string): string {
  const found = known.get(name);
  if (found) return found;
  if (!probe) {
    probe = document.createElement("i");
    probe.hidden = true;
    document.body.append(probe);
  }
  probe.style.color = `var(--${name})`;
  const value = getComputedStyle(probe).color;
  known.set(name, value);
  return value;
}

export function faint(name: string, alpha: number): string {
  const numbers = colour(name).match(/[\d.]+/g) ?? ["128", "128", "128"];
  return `rgba(${numbers.slice(0, 3).join(", ")}, ${alpha})`;
}

export function watchTheme(): void {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    known.clear();
    ++theme.value;
  });
}
