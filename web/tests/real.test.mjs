// The page that is in the binary, over a store that it wrote: token, policy, real answers.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { panel, until } from "./page.mjs";
import { endedStore, flatout, listed, makeStore, missing, startedStore } from "./store.mjs";

const skip = missing(flatout, makeStore);
const shared = {};

before(async () => {
  if (skip) return;
  const fill = (home) => {
    shared.run = spawnSync(makeStore, ["values", home, "50000", "5"], { encoding: "utf8" }).stdout.trim().split(/\s+/)[0];
    spawnSync(makeStore, ["small", home, "300"]);
  };
  Object.assign(shared, await startedStore(fill));
});

after(() => endedStore(shared));

test("the address that is printed opens the list", { skip }, async () => {
  await shared.page.goto(shared.url);
  await shared.page.getByText("301 runs").waitFor();
  assert.ok(!shared.page.url().includes("token"));
});

test("a run has its values, and zooms", { skip }, async () => {
  await shared.page.goto(`${new URL(shared.url).origin}/#/run/${shared.run}`);
  const plot = panel(shared.page, "v.train/loss").locator(".u-over");
  await plot.waitFor();
  const answer = shared.page.waitForResponse((one) => one.url().includes("/series?") && one.url().includes("from="));
  await shared.page.evaluate(() => (location.hash += "?from=1000&to=1200"));
  assert.equal((await answer).status(), 200);
});

test("a mistake in a query is shown with its column", { skip }, async () => {
  await shared.page.goto(`${new URL(shared.url).origin}/#/runs?q=steps%20%3C`);
  await shared.page.locator(".search-error").getByText(/column \d+/).waitFor();
});

test("a run that is being written goes on by itself", { skip }, async () => {
  const writer = spawn(makeStore, ["live", shared.home, "60"], { stdio: ["ignore", "pipe", "ignore"] });
  try {
    let id = "";
    writer.stdout.on("data", (text) => (id += text));
    const run = await until("its id", () => /^(\w+)\s/.exec(id)?.[1]);
    await shared.page.goto(`${new URL(shared.url).origin}/#/runs`);
    await shared.page.locator(".space .row", { hasText: run }).locator(".state-running").waitFor();
    await shared.page.goto(`${new URL(shared.url).origin}/#/run/${run}`);
    await shared.page.locator(".live").waitFor();
    const asked = () => shared.page.evaluate(() => performance.getEntriesByType("resource").filter((one) => one.name.includes("/series?")).length);
    await until("a panel", asked);
    const before = await asked();
    await until("new values for it", async () => (await asked()) > before);
  } finally {
    writer.kill("SIGKILL");
  }
});

test("tags and a note are kept in the store", { skip }, async () => {
  await shared.page.goto(`${new URL(shared.url).origin}/#/run/${shared.run}`);
  await shared.page.getByLabel("Tags").fill("kept");
  await shared.page.keyboard.press("Enter");
  await until("the tag in `flatout ls`", () => listed(shared.home).find((one) => one.id === shared.run).tags.includes("kept"));
});

test("two runs are compared", { skip }, async () => {
  const other = listed(shared.home).find((one) => one.id !== shared.run).id;
  await shared.page.goto(`${new URL(shared.url).origin}/#/compare?ids=${shared.run},${other}`);
  await shared.page.locator(".difference .summary").waitFor();
  await panel(shared.page, "c.train/loss").locator(".u-over").waitFor();
  await shared.page.getByText(/of \d+ keys differ|Nothing differs/).waitFor();
});

test("what a program wrote stands beside its curves, without what it could do there", { skip }, async () => {
  const program = "import time\nfor i in range(40):\n print('line', i, '<img src=x onerror=alert(1)>\\x1b[31m', flush=True); time.sleep(0.05)";
  const recorded = spawnSync(flatout, ["run", "-q", "--no-bench", "--record-output", "--home", shared.home, "--name", "talks", "--", "python3", "-c", program], { encoding: "utf8" });
  assert.equal(recorded.status, 0, recorded.stderr);
  const run = JSON.parse(spawnSync(flatout, ["ls", "--home", shared.home, "--name", "talks", "--format", "json"], { encoding: "utf8" }).stdout).runs[0].id;
  await shared.page.goto(`${new URL(shared.url).origin}/#/run/${run}`);
  await shared.page.locator("#output").getByText("line 39 <img src=x onerror=alert(1)>", { exact: true }).waitFor();
  const plot = panel(shared.page, "cpu").locator(".u-over");
  await plot.waitFor();
  const line = await until("a line at the cursor", async () => {
    const box = await plot.boundingBox();
    await shared.page.mouse.move(box.x + box.width * 0.6, box.y + box.height / 2);
    return /line (\d+)/.exec(await shared.page.locator("#output tr.here .text").textContent({ timeout: 500 }).catch(() => ""))?.[1];
  });
  assert.ok(Number(line) > 5 && Number(line) < 39, `line ${line} at 0.6 of the run`);
});

test("a page elsewhere can neither embed it nor ask it", { skip }, async () => {
  const origin = new URL(shared.url).origin;
  const elsewhere = createServer((_, answer) => answer.setHeader("content-type", "text/html").end(`<iframe src="${origin}/"></iframe>`));
  await new Promise((done) => elsewhere.listen(0, "127.0.0.1", done));
  const page = await shared.page.context().newPage(); // it has the cookie, which ports share
  try {
    await page.goto(`http://127.0.0.1:${elsewhere.address().port}/`);
    const frame = await until("the frame", () => page.frames()[1]);
    await until("its refusal", () => frame.url().startsWith("chrome-error:"));
    const asked = (options) => page.evaluate(([to, how]) => fetch(to, how).then((one) => `${one.status} ${one.type}`, (error) => error.name), [`${origin}/api/v1/runs`, options]);
    assert.equal(await asked({ credentials: "include" }), "TypeError");
    // Sent without a look at what comes back: nothing has changed by it.
    await asked({ credentials: "include", mode: "no-cors", method: "POST", body: "{}" });
    assert.equal(await asked({ credentials: "include", method: "PATCH", body: "{}" }), "TypeError");
    const named = await page.evaluate((to) => new Promise((done) => {
      const script = Object.assign(document.createElement("script"), { src: to, onload: () => done("loaded"), onerror: () => done("refused") });
      document.body.append(script);
    }), `${origin}/api/v1/runs`);
    assert.equal(named, "refused");
  } finally {
    await page.close();
    elsewhere.close();
  }
});

test("nobody complained: not the policy, not the console", { skip }, () => {
  const mistakes = /status of 400 .*query=.*steps/; // the one above
  assert.deepEqual(shared.problems.filter((text) => !mistakes.test(text)), []);
});
