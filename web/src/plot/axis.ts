// Ticks and texts of the axes, for the canvas and for SVG alike.
import { offset } from "../format/moment";
import { digits, quantity } from "../format/quantity";
import type { Figure } from "./figure";

const clock = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 1.5e4, 3e4, 6e4, 12e4, 3e5, 6e5, 9e5, 18e5, 36e5,
  72e5, 108e5, 216e5, 432e5, 864e5, 1728e5, 6048e5];
const counts: number[] = [];
for (let power = 1; power < 1e12; power *= 10) counts.push(power, 2 * power, 5 * power);

export function xIncrements(figure: Figure): number[] | undefined {
  if (figure.xKind === "time") return [0.001, 0.01, 0.1, 0.2, 0.5, ...clock];
  return figure.xKind === "step" ? counts : undefined;
}

export function xText(figure: Figure, value: number, step = 0): string {
  if (figure.xKind === "time") return offset(value, step);
  if (figure.xKind === "step") return step >= 1 ? String(Math.round(value)) : digits(value);
  return quantity(value, figure.xUnit);
}

// "step 120", "at 12.4 s"
export function xPlace(figure: Figure, value: number): string {
  if (figure.xKind === "step") return `step ${Math.round(value)}`;
  return figure.xKind === "time" ? offset(value, 100) : quantity(value, figure.xUnit);
}

// About `wanted` places inside [low, high].
export function ticks(low: number, high: number, wanted: number, increments?: number[]): number[] {
  if (!(high > low)) return [low];
  const rough = (high - low) / Math.max(1, wanted);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = increments?.find((one) => one >= rough) ?? [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough * 0.999)!;
  const found: number[] = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; ++i) found.push(i * step + 0);
  return found;
}
