// Exponential moving average that starts unbiased: the first values weigh as they should, as Adam
// corrects its moments. `weight` 0 gives the values themselves. Holes stay holes.
export function ema(values: readonly (number | null)[], weight: number): (number | null)[] {
  if (weight <= 0) return [...values];
  let sum = 0;
  let norm = 0;
  return values.map((value) => {
    if (value === null || !Number.isFinite(value)) return null;
    sum = sum * weight + value * (1 - weight);
    norm = norm * weight + (1 - weight);
    return sum / norm;
  });
}
