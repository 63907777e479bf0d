// Moments, and places within a run. Written out by hand, since the browser's own formats cost 10 ms
// when the first of them is made, which is before the first plot.
const two = (value: number) => String(value).padStart(2, "0");
const day = (at: Date) => `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;

export function ago(ms: number, now: number): string {
  const s = Math.max(0, (now - ms) / 1000);
  if (s < 60) return "just now";
  if (s < 3600) return `${Math.floor(s / 60)} min ago`;
  if (s < 86_400) return `${Math.floor(s / 3600)} h ago`;
  if (s < 14 * 86_400) return `${Math.floor(s / 86_400)} d ago`;
  return day(new Date(ms));
}

export function exact(ms: number): string {
  const at = new Date(ms);
  return `${day(at)} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

// Milliseconds since the run began: "12.4 s", "1:30", "1:02:30". `step` is how far apart two values
// are that must not read alike.
export function offset(ms: number, step = 0): string {
  const s = ms / 1000;
  const decimals = step > 0 ? Math.min(4, Math.max(0, -Math.floor(Math.log10(step / 1000) + 1e-9))) : s < 60 ? 2 : 0;
  if (Math.abs(s) < 60) return `${Number(s.toFixed(decimals))} s`;
  const rest = (s % 60).toFixed(decimals).padStart(decimals ? 3 + decimals : 2, "0");
  const minutes = Math.floor(s / 60);
  return minutes < 60 ? `${minutes}:${rest}` : `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${rest}`;
}
