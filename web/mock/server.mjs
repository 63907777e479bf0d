// The API with made-up data, for tests of the page and for working on it without a store:
//   node mock/server.mjs [PORT]
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { compareOf, configDiffOf, reportOf, tuneOf } from "./documents.mjs";
import { idleOf, lanesOf, loaderOf } from "./lanes.mjs";
import { parse, sorted } from "./query.mjs";
import { makeRows } from "./rows.mjs";
import { columns, points, seriesOf } from "./series.mjs";
import { outputOf } from "./output.mjs";
import { eventsOf, ranksOf, stepAxisOf, stepsOf } from "./steps.mjs";

const dist = fileURLToPath(new URL("../../build/web/dist", import.meta.url));
const types = { ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml" };
const policy = "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

class World {
  constructor(count) {
    this.rows = makeRows(count, Date.now());
    this.born = Date.now();
    this.listeners = new Set();
    this.asked = []; // addresses, for tests
  }
  row(id) {
    const row = this.rows.find((one) => one.id === id);
    if (row?.id === "live" && row.state === "running") {
      row.duration_s = 30 + (Date.now() - this.born) / 1000;
      row.steps = Math.floor(row.duration_s / 0.15);
    }
    return row;
  }
  devices(row) {
    return row.id === "gpus" ? 8 : 1;
  }
}

const json = (response, status, body) => {
  response.writeHead(status, { "Content-Type": "application/json" });
  response.end(JSON.stringify(body));
};
const fail = (response, status, message) => json(response, status, { error: { code: String(status), message } });
const number = (query, key) => (query.has(key) ? Number(query.get(key)) : null);

function list(world, query, response) {
  let rule;
  try {
    rule = parse(query.get("query") ?? "");
  } catch (error) {
    return fail(response, 400, error.message);
  }
  const total = (query.get("query") ?? "").includes('kind != "trial"') ? world.rows.filter((row) => row.kind !== "trial") : world.rows;
  const matched = sorted(world.rows.filter(rule), query.get("sort") || "started_ms", query.get("order"));
  const offset = number(query, "offset") ?? 0;
  return json(response, 200, { schema: "flatout.runs/1", total: total.length, matched: matched.length, unread: 0, notes: /\bbogus\b/.test(query.get("query") ?? "") ? ["no run has bogus"] : [], runs: matched.slice(offset, offset + (number(query, "limit") ?? 100)) });
}

function series(world, row, query, request, response) {
  const known = new Map(seriesOf(row, world.devices(row)).map((one) => [one.key, one]));
  const x = query.get("x") ?? "time";
  const found = query.getAll("key").filter((key) => known.has(key)).map((key) => points(known.get(key), x, number(query, "from"), number(query, "to"), number(query, "width") ?? 1000));
  if (!request.headers.accept?.includes("flatout.columns")) return json(response, 200, { schema: "flatout.series/1", x, series: found });
  response.writeHead(200, { "Content-Type": "application/vnd.flatout.columns" });
  return response.end(columns(found));
}

function events(response, every, send) {
  response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-store" });
  response.write(": hello\n\n");
  const timer = setInterval(() => send((name, data) => response.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`)), every);
  response.on("close", () => clearInterval(timer));
}

function detail(world, row) {
  return {
    schema: "flatout.run/1", row, live: row.state === "running", series: seriesOf(row, world.devices(row)).map(({ every: _every, ...one }) => one), devices: [],
    tracked: [{ rows: [0, 1, 2].map((step) => ({ t_ms: step * 1000, step, data: { note: `words of step ${step}`, weights: { _type: "histogram", bins: [-1, 0, 1], values: [step, 4] }, predictions: { _type: "table", file: "t.json", bytes: 900, rows: 45, columns: ["id", "text"] } } })), files: [{ t_ms: 5, path: "out/page.html", file: "p.html", bytes: 25, kind: "artifact", artifact: { name: "model", version: "v1", type: "model", aliases: ["best"] } }] }],
    describe: { config: { "loader.workers": 0, "loader.batch_size": 256, "model.class": "ResNet", "optimizer.class": "SGD" }, environment: { "machine.host": row.host, "machine.cpus": 64, "versions.torch": "2.13.0" }, counts: { steps: row.steps, processes: 5 } },
  };
}

function run(world, id, what, query, request, response) {
  const row = world.row(id);
  if (!row) return fail(response, 404, `there is no run ${id}`);
  switch (what) {
    case "": return json(response, 200, detail(world, row));
    case "series": return series(world, row, query, request, response);
    case "step-axis": return json(response, 200, stepAxisOf(row));
    case "steps": return json(response, 200, stepsOf(row, number(query, "from"), number(query, "to"), number(query, "width") ?? 600));
    case "ranks": return json(response, 200, row.id === "gpus" ? ranksOf(row) : { ranks: [{ rank: 0 }], edges_ms: [0, 1], step_ms: [[1]] });
    case "idle": return json(response, 200, idleOf(row, row.id === "gpus" ? world.devices(row) : 0, number(query, "from"), number(query, "to"), number(query, "width") ?? 600));
    case "loader": return json(response, 200, loaderOf(row, number(query, "from"), number(query, "to"), number(query, "width") ?? 600));
    case "lanes": return json(response, 200, lanesOf(row, number(query, "from"), number(query, "to")));
    case "report": return json(response, 200, reportOf(row, world.devices(row)));
    case "events": return json(response, 200, { events: row.id === "gpus" ? eventsOf(row) : [] });
    case "output": return json(response, 200, outputOf(row, query, Date.now() - world.born));
    case "tune": return row.kind === "tune" ? json(response, 200, tuneOf(row)) : fail(response, 404, `${id} is not the first run of a tune`);
    case "files": return json(response, 200, { columns: ["id", "text", "=score"], data: Array.from({ length: 45 }, (_, i) => [i, `<b>row ${i}</b>`, i % 2 ? "=1+1" : null]) });
    case "live": return events(response, 500, (say) => { const now = world.row(id); say("tick", { state: now.state, last_ms: now.duration_s * 1000, steps: now.steps, series: {} }); });
    default: return fail(response, 404, "no such thing");
  }
}

async function change(world, id, request, response) {
  let body = "";
  for await (const part of request) body += part;
  const row = world.row(id);
  Object.assign(row, JSON.parse(body));
  return json(response, 200, row);
}

async function page(path, response) {
  const file = normalize(join(dist, path === "/" ? "index.html" : path));
  try {
    if (!file.startsWith(dist)) throw new Error("outside");
    const body = await readFile(file);
    response.writeHead(200, { "Content-Type": types[extname(file)] ?? "application/octet-stream", "Content-Security-Policy": policy });
    response.end(body);
  } catch {
    response.writeHead(404).end();
  }
}

function answer(world, request, response) {
  const { pathname, searchParams: query } = new URL(request.url, "http://localhost");
  if (!pathname.startsWith("/api/v1/")) return page(pathname, response);
  world.asked.push(request.url);
  const [place, id, what = ""] = pathname.slice(8).split("/").map(decodeURIComponent);
  if (place === "runs" && !id) return list(world, query, response);
  if (place === "runs" && request.method === "PATCH") return change(world, id, request, response);
  if (place === "runs") return run(world, id, what, query, request, response);
  if (place === "live") return events(response, 1000, (say) => say("runs", { changed: ["live"] }));
  if (place === "compare") return json(response, 200, compareOf(world.row(query.get("a")), world.row(query.get("b"))));
  if (place === "config-diff") return json(response, 200, configDiffOf(query.getAll("id").map((one) => world.row(one))));
  return fail(response, 404, "no such thing");
}

export function start(port = 0, count = 5000) {
  const world = new World(count);
  const server = createServer((request, response) => void Promise.resolve(answer(world, request, response)).catch((error) => fail(response, 500, error.message)));
  return new Promise((ready) => server.listen(port, "127.0.0.1", () => ready({ server, world, url: `http://127.0.0.1:${server.address().port}` })));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log((await start(Number(process.argv[2] ?? 8765))).url);
