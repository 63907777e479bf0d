// The cursor that all panels share, for panels that uPlot does not draw.
import uPlot from "uplot";

const group = () => uPlot.sync("run");
const followers = new Set<(x: number | null) => void>();

// Puts it at a place of the x axis in all plots, of which all followers hear; null takes it away.
export function showCursor(x: number | null): void {
  for (const plot of group().plots) {
    if (!("setCursor" in plot)) continue; // another follower
    const left = x === null ? -10 : plot.valToPos(x, "x");
    // Its second and third arguments, which its types leave out: legends hear of it, other plots not.
    (plot.setCursor as (at: { left: number; top: number }, fire: boolean, publish: boolean) => void)({ left, top: 10 }, true, false);
  }
  for (const heard of followers) heard(x);
}

// `heard` gets each place at which the cursor of a plot or of another panel stands, null where it left. Returns how to
// listen no longer.
export function followCursor(heard: (x: number | null) => void): () => void {
  const client = {
    pub(kind: string, source: uPlot) {
      const left = source.cursor.left ?? -10;
      heard(kind === "mouseleave" || left < 0 ? null : source.posToVal(left, "x"));
    },
  } as unknown as uPlot;
  group().sub(client);
  followers.add(heard);
  return () => {
    group().unsub(client);
    followers.delete(heard);
  };
}
