// Real programs, seen in the page while they run: a training, its ranks, two stages of one run, and
// what the page says when one of them is killed. One store for all.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { panel, until } from "./page.mjs";
import { endedStore, flatout, killed, missing, python, root, startedRun, startedStore } from "./store.mjs";

const skip = missing(flatout, python);
const programs = join(root, "tests/ui/programs");
const shared = { running: [] };
const place = (name) => join(shared.home, name);
const taken = (name) => Number(existsSync(place(name)) ? readFileSync(place(name), "utf8") : 0);
const start = (options, program) => {
  mkdirSync(place("work"), { recursive: true });
  const run = startedRun(shared.home, options, program, place("work"));
  shared.running.push(run);
  return run;
};
const api = async (path) => (await shared.page.request.get(`${shared.origin}/api/v1${path}`)).json();
const idOf = (name) => until(`the run ${name}`, async () => (await api(`/runs?query=${name}`)).runs.find((one) => one.name === name)?.id);
const state = () => shared.page.locator(".run-head .state-word").textContent();
const open = (id) => shared.page.goto(`${shared.origin}/#/run/${id}`);

before(async () => {
  if (skip) return;
  Object.assign(shared, await startedStore());
  await shared.page.goto(shared.url);
  // Torch takes seconds to be imported: both at once.
  shared.training = start(["--capture", "wandb", "--name", "training"], [python, join(programs, "training.py"), place("stop"), place("trained")]);
  shared.ranks = start(["--name", "ranks"], [
    python, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", join(root, "tests/tune/programs/ddp.py"), "--steps", "60", "--wait-ms", "2", "--late-ms", "10",
  ]);
});

after(async () => {
  shared.running.forEach((run) => killed(run));
  await endedStore(shared);
});

test("a training grows in the page and its end is seen", { skip }, async () => {
  const { page, training } = shared;
  await until("steps that were logged", () => taken("trained") > 20);
  await open(await idOf("training"));
  await page.locator(".live").waitFor();
  assert.equal(await state(), "running");
  const plot = panel(page, "v.train/loss").locator(".plot");
  // What the page reads out of the last point.
  const last = async () => {
    await plot.focus();
    await page.keyboard.press("End");
    return panel(page, "v.train/loss").locator(".spoken").textContent();
  };
  const steps = async () => Number((await page.locator(".run-head > p.muted").textContent()).match(/([\d\u202f]+) steps/)?.[1].replaceAll("\u202f", "") ?? 0);
  const first = { spoken: await until("a reading", last), steps: await until("steps", steps) };
  await until("a later reading", async () => (await last()) !== first.spoken);
  await until("more steps", async () => (await steps()) > first.steps);
  writeFileSync(place("stop"), "");
  assert.deepEqual(await training.ended.then(({ code, signal }) => [code, signal]), [0, null]);
  await until("its end", async () => (await state()) === "finished");
  const loss = (await api(`/runs/${await idOf("training")}`)).series.find((one) => one.name === "train/loss");
  assert.equal(loss.count, taken("trained"));
  await page.locator(".live").waitFor({ state: "detached" });
});

test("two ranks stand over time, the late one longer", { skip }, async () => {
  const { page, ranks } = shared;
  assert.deepEqual(await ranks.ended.then(({ code, said }) => [code, code ? said : ""]), [0, ""]);
  const id = await idOf("ranks");
  await open(id);
  const map = page.locator("#ranks");
  await map.locator("canvas").waitFor();
  assert.deepEqual(await map.locator(".heat-names span").allTextContents(), ["0", "1"]);
  // Both rows are painted while there were steps; most of this run is imports.
  const painted = await map.locator("canvas").evaluate((canvas) => {
    const share = (y) => {
      const pixels = canvas.getContext("2d").getImageData(0, y, canvas.width, 1).data;
      return pixels.filter((value, i) => i % 4 === 3 && value > 0).length / canvas.width;
    };
    return [share(Math.floor(canvas.height / 4)), share(Math.floor((canvas.height * 3) / 4))];
  });
  assert.ok(painted.every((share) => share > 0.01), `${painted}`);
  const answer = await api(`/runs/${id}/ranks?width=100`);
  assert.deepEqual(answer.ranks.map((one) => one.rank), [0, 1]);
  await map.getByLabel(/^Menu of/).click();
  await map.getByRole("button", { name: "Table" }).click();
  assert.deepEqual(await map.locator("tbody th").allTextContents(), answer.ranks.map((one) => one.label));
});

test("two stages that log at once are both there, each with its own place", { skip }, async () => {
  const { page } = shared;
  const script = join(programs, "logs.py");
  const stage = (name) => `subprocess.Popen([sys.executable, ${JSON.stringify(script)}, "night", ${JSON.stringify(place(name))}, ${JSON.stringify(place("enough"))}, "monitoring/${name}"])`;
  const run = start(["--name", "stages"], [python, "-c", `import subprocess, sys\nfor one in [${stage("fit")}, ${stage("score")}]: one.wait()`]);
  await until("both", () => taken("fit") > 50 && taken("score") > 50);
  await open(await idOf("stages"));
  await panel(page, "v.fit/value").locator(".u-over").waitFor();
  await panel(page, "v.score/value").locator(".u-over").waitFor();
  writeFileSync(place("enough"), "");
  await run.ended;
  await until("its end", async () => (await state()) === "finished");
  const parts = page.locator("#details details", { hasText: "Logged by" });
  await parts.locator("summary").click();
  // The page asks for them again once it knows of the end.
  const rows = await until("both as they ended", async () => {
    const found = await parts.locator("tbody tr").allTextContents();
    return found.length > 1 && found;
  });
  assert.equal(rows.length, 2);
  for (const name of ["fit", "score"]) assert.ok(rows.some((text) => text.includes(`monitoring/${name}`)), `${rows}`);
  const { series } = await api(`/runs/${await idOf("stages")}`);
  for (const name of ["fit", "score"]) assert.equal(series.find((one) => one.name === `${name}/value`).count, taken(name));
});

test("a script that is killed is seen to be", { skip }, async () => {
  const run = start(["--name", "victim"], [python, join(programs, "logs.py"), "victim", place("victim")]);
  await until("steps", () => taken("victim") > 50);
  await open(await idOf("victim"));
  await until("that it runs", async () => (await state()) === "running");
  const script = readFileSync(`/proc/${run.child.pid}/task/${run.child.pid}/children`, "utf8").trim().split(/\s+/)
    .find((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").startsWith(python));
  process.kill(Number(script), "SIGKILL");
  await until("that it is killed", async () => (await state()) === "killed");
  const value = (await api(`/runs/${await idOf("victim")}`)).series.find((one) => one.name === "victim/value");
  assert.ok(value.count >= taken("victim") && value.count <= taken("victim") + 1);
});

test("what a script calls itself is text", { skip }, async () => {
  const { page } = shared;
  const name = `<img src=x onerror="window.taken=1"><script>window.taken=1</script>\u001b[31m"'\u0060&`;
  await start(["--name", name], [python, join(programs, "hostile.py"), name]).ended;
  const found = await until("the run", async () => (await api("/runs?query=onerror")).runs[0]?.tracked && (await api("/runs?query=onerror")).runs[0]);
  await page.goto(`${shared.origin}/#/runs?group=project`);
  await page.locator(".space .row", { hasText: "onerror" }).first().waitFor();
  await open(found.id);
  await page.getByRole("heading", { level: 1 }).getByText("onerror").waitFor();
  await page.locator("#media").evaluate((element) => element.scrollIntoView());
  await page.locator("#values .panel", { hasText: "onerror" }).locator(".u-over").first().waitFor();
  for (const details of await page.locator("details:not(.menu)").all()) await details.evaluate((element) => (element.open = true));
  await page.locator("#details").getByText("onerror").first().waitFor();
  await page.goto(`${shared.origin}/#/compare?ids=${found.id},${await idOf("training")}`);
  await page.getByText("onerror").first().waitFor();
  assert.equal(await page.evaluate(() => globalThis.taken), undefined);
  assert.equal(await page.locator("img[src=x], main script").count(), 0);
});

test("nobody complained: not the policy, not the console", { skip }, () => {
  assert.deepEqual(shared.problems.filter((text) => !/status of 409|ERR_INCOMPLETE/.test(text)), []);
});
