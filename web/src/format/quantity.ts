// Numbers as people read them: three significant digits and a unit, as the reports write them.
const nothing = "–";

export function digits(value: number): string {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return value.toExponential(2).replace("e+", "e");
  if (size >= 1000) return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, "\u202f");
  return String(Number(value.toPrecision(3)));
}

export function percent(share: number | null | undefined): string {
  if (share === null || share === undefined || !Number.isFinite(share)) return nothing;
  const hundred = share * 100;
  if (hundred > 0 && hundred < 1) return "<1 %";
  return `${Math.abs(hundred) < 10 ? Number(hundred.toFixed(1)) : Math.round(hundred)} %`;
}

export function bytes(value: number): string {
  for (const [name, size] of [["TB", 1e12], ["GB", 1e9], ["MB", 1e6], ["kB", 1e3]] as const)
    if (Math.abs(value) >= size) return `${digits(value / size)} ${name}`;
  return `${Math.round(value)} B`;
}

export function milliseconds(ms: number): string {
  if (Math.abs(ms) < 1 && ms !== 0) return `${digits(ms * 1000)} µs`;
  return Math.abs(ms) >= 10_000 ? seconds(ms / 1000) : `${digits(ms)} ms`;
}

const two = (value: number) => String(value).padStart(2, "0");

export function seconds(s: number): string {
  if (s !== 0 && Math.abs(s) < 0.1) return milliseconds(s * 1000);
  if (Math.abs(s) < 59.95) return `${digits(s)} s`;
  const whole = Math.round(s);
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${two(whole % 60)} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 2880) return `${Math.floor(minutes / 60)} h ${two(minutes % 60)} min`;
  return `${digits(s / 86_400)} d`;
}

const plain: Record<string, string> = { watts: "W", celsius: "°C", cores: "cores" };

export function quantity(value: number | null | undefined, unit: string | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return nothing;
  switch (unit) {
    case "ratio": return percent(value);
    case "bytes": return bytes(value);
    case "bytes_per_s": return `${bytes(value)}/s`;
    case "ms": return milliseconds(value);
    case "s": return seconds(value);
    case "megahertz": return value >= 1000 ? `${digits(value / 1000)} GHz` : `${digits(value)} MHz`;
    case "per_s": return `${digits(value)}/s`;
    case "samples_per_s": return `${digits(value)} samples/s`;
    case "count": case "": case null: case undefined: return digits(value);
    default: return `${digits(value)} ${plain[unit] ?? unit}`;
  }
}

export const farthest = (values: readonly (number | null)[]): number => values.reduce<number>((most, one) => Math.max(most, Math.abs(one ?? 0)), 0);

// Of an axis whose largest value is `top`: all of it in one unit.
export function quantityBeside(value: number, top: number, unit: string | null | undefined): string {
  if (unit === "cores") return digits(value); // the legend has the word, which would be cut off at each tick
  if (unit === "ms" && Math.abs(top) >= 10_000) return `${digits(value / 1000)} s`;
  if (unit === "bytes" || unit === "bytes_per_s") {
    const size = [1e12, 1e9, 1e6, 1e3].find((one) => Math.abs(top) >= one);
    if (size) return `${digits(value / size)} ${bytes(size).split(" ")[1]}${unit === "bytes" ? "" : "/s"}`;
  }
  return quantity(value, unit);
}

export const orNothing = <T>(value: T | null | undefined, text: (value: T) => string): string =>
  value === null || value === undefined ? nothing : text(value);
