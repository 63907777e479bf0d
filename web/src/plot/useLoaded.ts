// Asks for what a panel shows once it comes into view, and again whenever `keys` change while it is
// in view. What was there stays until the new answer has come; an answer that nobody waits for any
// more is broken off.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

export interface Loaded<T> {
  data: T | null;
  error: Error | null;
  answered: boolean; // at least once, be it with an error
}

const near = 600; // px around the window

// `first`: of what one looks at first, which does not wait for the observer: it speaks after a paint.
export function useInView<E extends HTMLElement>(first = false): [{ current: E | null }, boolean] {
  const box = useRef<E>(null);
  const [seen, setSeen] = useState(false);
  useLayoutEffect(() => {
    if (!first) return;
    const { top, bottom } = box.current!.getBoundingClientRect();
    if (top < innerHeight + near && bottom > -near) setSeen(true);
  }, []);
  useEffect(() => {
    const observer = new IntersectionObserver(
      (entries) => setSeen(entries[entries.length - 1]!.isIntersecting),
      { rootMargin: `${near}px` },
    );
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, []);
  return [box, seen];
}

export function useLoaded<T>(load: (signal: AbortSignal) => Promise<T>, keys: unknown[], on = true): Loaded<T> {
  const [state, setState] = useState<Loaded<T>>({ data: null, error: null, answered: false });
  const asked = useRef<{ keys: string; stop: AbortController } | null>(null);
  const now = JSON.stringify(keys);
  const askNow = () => {
    // What goes out of view is not broken off: it would be empty when one comes back.
    if (!on || asked.current?.keys === now) return;
    asked.current?.stop.abort();
    const stop = new AbortController();
    asked.current = { keys: now, stop };
    load(stop.signal).then(
      (data) => !stop.signal.aborted && setState({ data, error: null, answered: true }),
      (error: Error) => !stop.signal.aborted && setState((before) => ({ data: before.data, error, answered: true })),
    );
  };
  // The first time at once; later after the page has painted what is there already, with the new axis.
  useLayoutEffect(() => void (asked.current || askNow()), [on]);
  useEffect(askNow, [now, on]);
  useEffect(() => () => asked.current?.stop.abort(), []);
  return state;
}
