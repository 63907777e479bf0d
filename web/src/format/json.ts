// Nested configuration as flat keys, and values as text.
import type { Json } from "../api/types";

export function flatten(value: { [key: string]: Json } | null | undefined, under = ""): Map<string, Json> {
  const found = new Map<string, Json>();
  for (const [key, inner] of Object.entries(value ?? {})) {
    const name = under ? `${under}.${key}` : key;
    if (inner !== null && typeof inner === "object" && !Array.isArray(inner))
      for (const [deep, leaf] of flatten(inner, name)) found.set(deep, leaf);
    else found.set(name, inner);
  }
  return found;
}

export function text(value: Json | undefined): string {
  if (value === undefined || value === null) return "–";
  if (typeof value === "number") return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(4)));
  if (Array.isArray(value) && value.every((one) => typeof one === "string")) return value.join(" ");
  return typeof value === "string" ? value : JSON.stringify(value);
}
