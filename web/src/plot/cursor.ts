// The cursor that all panels of a view share, for what is no plot: a list that follows it and moves it.
import uPlot from "uplot";

type Group = { plots: unknown[]; sub(client: unknown): void; unsub(client: unknown): void };
const group = () => uPlot.sync("run") as unknown as Group;

// Calls `heard` with the x value under the pointer, null where it has left the panels.
export function onCursor(heard: (x: number | null) => void): () => void {
  const client = {
    pub(kind: string, from: uPlot, left: number) {
      if (kind === "mouseleave" || (kind === "mousemove" && left < 0)) heard(null);
      else if (kind === "mousemove") heard(from.posToVal(left, "x"));
    },
  };
  group().sub(client);
  return () => group().unsub(client);
}

// Of every plot, so that a mark stands in each; what is subscribed by onCursor() hears of it, too.
export function setCursor(x: number): void {
  const plot = group().plots.find((one): one is uPlot => "valToPos" in (one as object));
  // Its third argument, which its types leave out, takes the other panels along.
  if (plot) (plot.setCursor as (at: { left: number; top: number }, fire: boolean, publish: boolean) => void)({ left: plot.valToPos(x, "x"), top: 10 }, true, true);
}
