// What a program wrote, one line of it on stderr; nothing for small runs.
function lineOf(i, every) {
  const line = { t_ns: i * every + 5, pid: 100 };
  if (i === 7) return { ...line, stream: "stderr", text: "UserWarning: <b>lr</b> is high" };
  return { ...line, stream: "stdout", text: i % 50 === 0 ? `epoch ${i / 50}` : `step ${i} loss ${(3 / (1 + i / 40)).toFixed(3)}` };
}

export function outputOf(row, query, age) {
  const has = row.id === "gpus" || row.id === "live";
  const count = !has ? 0 : row.id === "live" ? 300 + Math.floor(age / 100) : 1800;
  const from = Number(query.get("from_ns") ?? 0);
  const to = Number(query.get("to_ns") ?? Infinity);
  const limit = Number(query.get("limit") ?? 500);
  const words = (query.get("contains") ?? "").toLowerCase();
  const stream = query.get("stream");
  const all = Array.from({ length: count }, (_, i) => lineOf(i, row.id === "live" ? 1e8 : Math.floor((row.duration_s * 1e9) / count))).filter((line) => line.t_ns >= from && line.t_ns <= to && (!stream || line.stream === stream) && line.text.toLowerCase().includes(words));
  const last = query.get("end") === "last";
  const lines = last ? all.slice(-limit || all.length) : all.slice(0, limit);
  return { schema: "flatout.output/1", processes: has ? [{ pid: 100, bytes: count * 40, left_out_lines: 0, left_out_bytes: 0 }] : [], lines, more: all.length > lines.length, reached_ns: null };
}
