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
      { rootMargin: "300px" },
    );
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, []);
  return [box, seen];
}

export function useLoaded<T>(load: (signal: AbortSignal) => Promise<T>, keys: unknown[], on = true): Loaded<T> {
  const [state, setState] = useState<Loaded<T>>({ data: null, error: null });
  useEffect(() => {
    if (!on) return;
    const stop = new AbortController();
    load(stop.signal).then(
      (data) => !stop.signal.aborted && setState({ data, error: null }),
      (error: Error) => !stop.signal.aborted && setState((before) => ({ data: before.data, error })),
    );
    return () => stop.abort();
  }, [...keys, on]);
  return state;
}
