// How fast the page is over a running `flatout ui`, by hand:
//   node tests/speed.mjs 'http://127.0.0.1:PORT/?token=T' RUN [TIMES]
// From the navigation to the first paint with content, to the first rows and to the first painted plot,
// each time in a fresh profile (nothing cached). Zoom: from the last byte of an answer to the painted plot.
import { chromium } from "playwright-core";
import { launchOptions } from "./browser.mjs";

const [, , base, run, times = "15"] = process.argv;
const origin = new URL(base).origin;
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const said = (name, values) => console.log(`${name}: median ${median(values).toFixed(1)} ms, ${Math.min(...values).toFixed(1)} to ${Math.max(...values).toFixed(1)} (n=${values.length})`);

const watch = () => {
  const seen = (globalThis.seen = {});
  const look = new MutationObserver(() => {
    if (!seen.rows && document.querySelector(".space .row .name a")) requestAnimationFrame(() => (seen.rows ??= performance.now()));
  });
  look.observe(document, { childList: true, subtree: true });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (entry.name === "plot") (seen.plot ??= entry.startTime), (seen.lastPlot = entry.startTime);
  }).observe({ entryTypes: ["mark"] });
};

const browser = await chromium.launch(launchOptions());
async function fresh(hash) {
  const context = await browser.newContext({ viewport: { width: 1400, height: 1000 } });
  await context.addInitScript(watch);
  const page = await context.newPage();
  // The cookie, without the page.
  await context.request.get(base, { maxRedirects: 0 }).catch(() => {});
  await page.goto(`${origin}/#/${hash}`);
  return { context, page };
}

const first = { rows: [], plot: [] };
const paints = [];
for (let i = 0; i < Number(times); ++i)
  for (const [what, hash] of [["rows", "runs"], ["plot", `run/${run}`]]) {
    const { context, page } = await fresh(hash);
    if (what === "plot") await page.evaluate(() => document.querySelector(".run-tools")?.scrollIntoView());
    await page.waitForFunction((name) => globalThis.seen[name] > 0 || (document.querySelector(".run-tools")?.scrollIntoView(), false), what, { polling: 10 });
    first[what].push(await page.evaluate((name) => globalThis.seen[name], what));
    if (what === "plot") paints.push(await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0].startTime));
    await context.close();
  }
said("list, first rows", first.rows);
said(`run ${run}, first paint`, paints);
said(`run ${run}, first plot`, first.plot);

const { page } = await fresh(`run/${run}`);
await page.waitForFunction(() => (document.querySelector(".run-tools")?.scrollIntoView(), document.querySelectorAll(".panel .u-over").length > 1), null, { polling: 50 });
await page.waitForTimeout(1500);
const zooms = [];
const whole = [];
for (let i = 0; i < Number(times); ++i) {
  const begin = 5000 + 1000 * i;
  const found = await page.evaluate(async ([from, to]) => {
    performance.clearResourceTimings();
    globalThis.seen.lastPlot = 0;
    const asked = performance.now();
    location.hash = location.hash.replace(/\?.*|$/, `?from=${from}&to=${to}`);
    await new Promise((done) => setTimeout(done, 1200));
    const answers = performance.getEntriesByType("resource").filter((one) => /\/(series|steps)/.test(one.name)).map((one) => one.responseEnd);
    return { after: globalThis.seen.lastPlot - Math.max(...answers), all: globalThis.seen.lastPlot - asked, answers: answers.length };
  }, [begin, begin + 20_000]);
  if (found.answers > 0) zooms.push(found.after), whole.push(found.all);
}
said("zoom, last answer to last painted plot", zooms);
said("zoom, all of it", whole);
await browser.close();
