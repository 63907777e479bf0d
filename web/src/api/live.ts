// Server-sent events. The browser reconnects by itself; what we get back ends it.
import { address } from "./address";

export interface Tick {
  state: string;
  last_ms: number;
  steps?: number | null;
  series?: { [key: string]: { count: number; last: number | null; last_ms: number; last_step?: number | null } };
}

function listen<T>(path: string, event: string, heard: (data: T) => void): () => void {
  const source = new EventSource(address(path));
  source.addEventListener(event, (message) => {
    try {
      heard(JSON.parse((message as MessageEvent<string>).data) as T);
    } catch {
      // A broken line is left out; the next one comes within a second.
    }
  });
  return () => source.close();
}

export const listenToRuns = (heard: (changed: string[]) => void) =>
  listen<{ changed: string[] }>("/live", "runs", (data) => heard(data.changed ?? []));

export const listenToRun = (id: string, heard: (tick: Tick) => void) =>
  listen<Tick>(`/runs/${encodeURIComponent(id)}/live`, "tick", heard);
