// Time of the run to steps of the training, so that readings of the machine, which know no steps,
// can stand on an axis of steps: between the ends of two steps it is a straight line.

export interface StepsAxis {
  toStep(ms: number): number | null; // null: before the first step, after the last
  toTime(step: number): number | null;
  extent: [number, number] | null; // in steps
}

function between(from: number[], to: number[], at: number): number | null {
  if (from.length < 2 || at < from[0]! || at > from[from.length - 1]!) return null;
  let low = 0;
  let high = from.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (from[middle]! <= at) low = middle;
    else high = middle;
  }
  const width = from[high]! - from[low]!;
  return to[low]! + (width > 0 ? ((at - from[low]!) / width) * (to[high]! - to[low]!) : 0);
}

export function stepsAxis({ step, ms }: { step: number[]; ms: number[] }): StepsAxis {
  return {
    toStep: (at) => between(ms, step, at),
    toTime: (at) => between(step, ms, at),
    extent: step.length > 1 ? [step[0]!, step[step.length - 1]!] : null,
  };
}
