// Asks for what a panel shows once it comes into view, and again whenever `keys` change while it is
// in view. What was there stays until the new answer has come; an answer that nobody waits for any
// more is broken off.
import { useEffect, useRef, useState } from "preact/hooks";

export interface Loaded<T> {
  data: T | null;
  error: Error | null;
}

export function useInView<E extends HTMLElement>(): [{ current: E | null }, boolean] {
  const box = useRef<E>(null);
  const [seen, setSeen] = useState(false);
  useEffect(() => {
    const observer = new IntersectionObserver(
      (entries) => setSeen(entries[entries.length - 1]!.isIntersecting),
      { rootMargin: "600px" },
    );
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, []);
  return [box, seen];
}

export function useLoaded<T>(load: (signal: AbortSignal) => Promise<T>, keys: unknown[], on = true): Loaded<T> {
  const [state, setState] = useState<Loaded<T>>({ data: null, error: null });
  const asked = useRef<{ keys: string; stop: AbortController } | null>(null);
  const now = JSON.stringify(keys);
  useEffect(() => {
    // What goes out of view is not broken off: it would be empty when one comes back.
    if (!on || asked.current?.keys === now) return;
    asked.current?.stop.abort();
    const stop = new AbortController();
    asked.current = { keys: now, stop };
    load(stop.signal).then(
      (data) => !stop.signal.aborted && setState({ data, error: null }),
      (error: Error) => !stop.signal.aborted && setState((before) => ({ data: before.data, error })),
    );
  }, [now, on]);
  useEffect(() => () => asked.current?.stop.abort(), []);
  return state;
}
