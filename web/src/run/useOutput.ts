// The part of a run's output that is shown: asked for around a time, and further as one scrolls.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { getOutput, type OutputQuery } from "../api/runs";
import type { Output } from "../api/types";
import { covers, partOf, withEarlier, withLater, type Part } from "./output";

const page = 200;

export interface Wanted {
  contains: string;
  stream: string;
  states: boolean;
}

export function useOutput(id: string, wanted: Wanted) {
  const part = useSignal<Part | null>(null);
  const processes = useSignal<Output["processes"]>([]);
  const problem = useSignal("");
  const stop = useRef(new AbortController()); // of whatever is asked for now
  const busy = useRef(false);
  const query = (): OutputQuery => ({ limit: page, contains: wanted.contains || null, stream: wanted.stream || null, states: wanted.states ? "all" : "last" });

  // One question at a time; `force` breaks off the one that is under way.
  const ask = async (make: (stop: AbortSignal) => Promise<Part | null>, force = false): Promise<boolean> => {
    if (busy.current && !force) return false;
    stop.current.abort();
    const mine = (stop.current = new AbortController());
    busy.current = true;
    try {
      const found = await make(mine.signal);
      if (mine.signal.aborted) return false;
      part.value = found;
      problem.value = "";
      return true;
    } catch (error) {
      if (!mine.signal.aborted) problem.value = (error as Error).message;
      return false;
    } finally {
      if (stop.current === mine) busy.current = false;
    }
  };
  const get = async (change: OutputQuery, signal: AbortSignal) => {
    const answer = await getOutput(id, { ...query(), ...change }, signal);
    processes.value = answer.processes;
    return answer;
  };

  const toEnd = () => ask(async (signal) => partOf(await get({ end: "last" }, signal), null), true);
  const around = (ms: number) =>
    ask(async (signal) => {
      const at = Math.max(0, Math.floor(ms * 1e6));
      const [backward, forward] = await Promise.all([get({ to_ns: at, end: "last" }, signal), get({ from_ns: at + 1 }, signal)]);
      return partOf(backward, forward);
    }, true);
  const earlier = () => {
    const now = part.peek();
    if (!now || now.before === null) return Promise.resolve(false);
    return ask(async (signal) => withEarlier(now, await get({ to_ns: now.before!, end: "last" }, signal)));
  };
  // Also what has been written since, where the end was there.
  const later = () => {
    const now = part.peek();
    const last = now?.lines[now.lines.length - 1]?.t_ns;
    if (!now || (now.after === null && last === undefined)) return Promise.resolve(false);
    return ask(async (signal) => withLater(now, await get({ from_ns: now.after ?? last! }, signal)));
  };

  useEffect(() => () => stop.current.abort(), []);
  return { part, processes, problem, toEnd, around, earlier, later, covers: (ms: number) => !!part.peek() && covers(part.peek()!, ms) };
}
