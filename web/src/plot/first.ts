// Whether the first plot is on the screen: what lies below it is made after that, not before.
import { signal } from "@preact/signals";

export const firstPainted = signal(false);

let drawn = false;

export function plotDrawn(): void {
  if (drawn) return;
  drawn = true;
  requestAnimationFrame(() => setTimeout(() => (firstPainted.value = true)));
}
