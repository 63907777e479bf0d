// What all panels of a view share, kept in the address: the axis, the part that is zoomed into,
// smoothing, log axes, and the lines that are switched off.
import { computed, signal } from "@preact/signals";
import type { Range, XKind } from "../api/runs";
import { route, setQuery } from "../app/route";

const number = (text: string | null) => (text === null || text === "" ? NaN : Number(text));

export const xKind = computed<XKind>(() => (route.value.query.get("x") === "step" ? "step" : "time"));

export const range = computed<Range>(() => {
  const from = number(route.value.query.get("from"));
  const to = number(route.value.query.get("to"));
  return Number.isFinite(from) && Number.isFinite(to) && from < to ? [from, to] : null;
});

export const smoothing = computed(() => {
  const weight = number(route.value.query.get("smooth"));
  return weight > 0 && weight < 1 ? weight : 0;
});

export const logPanels = computed(() => new Set(route.value.query.getAll("log")));
const off = computed(() => route.value.query.getAll("off"));

// Grows with each tick of a running run: panels that show its end ask again.
export const tick = signal(0);

export function zoomTo(next: Range): void {
  const round = (value: number) => String(Number(value.toPrecision(9)));
  setQuery(next ? { from: round(next[0]), to: round(next[1]) } : { from: null, to: null }, true);
}

export const setXKind = (kind: XKind) => setQuery({ x: kind === "step" ? "step" : null, from: null, to: null });
export const setSmoothing = (weight: number) => setQuery({ smooth: weight > 0 ? String(weight) : null });

export function toggleLog(panel: string): void {
  const next = new Set(logPanels.peek());
  if (!next.delete(panel)) next.add(panel);
  setQuery({ log: [...next] });
}

const word = (panel: string, label: string) => `${panel}~${label}`;

export function hiddenLines(panel: string): Set<string> {
  const begin = word(panel, "");
  return new Set(off.value.filter((one) => one.startsWith(begin)).map((one) => one.slice(begin.length)));
}

function setHidden(panel: string, labels: Iterable<string>): void {
  const others = off.peek().filter((one) => !one.startsWith(word(panel, "")));
  setQuery({ off: [...others, ...[...labels].map((label) => word(panel, label))] });
}

// Alone, or all again where it is alone already.
export function solo(panel: string, label: string, all: string[]): void {
  const hidden = hiddenLines(panel);
  const others = all.filter((one) => one !== label);
  const alone = others.length > 0 && others.every((one) => hidden.has(one)) && !hidden.has(label);
  setHidden(panel, alone ? [] : others);
}

export function toggleLine(panel: string, label: string): void {
  const hidden = hiddenLines(panel);
  if (!hidden.delete(label)) hidden.add(label);
  setHidden(panel, hidden);
}
