// Files for Perfetto, in Perfetto: its page shows them, and its trace processor has all that is in them.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";
import { launchOptions } from "./browser.mjs";
import { openedInPerfetto, perfettoUi } from "./perfetto_ui.mjs";
import { flatout, missing, python, root, startedRun } from "./store.mjs";

const skip = missing(flatout, python, perfettoUi);
const traces = (folder) => (existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".json.gz")).map((name) => join(folder, name)) : []);
const files = [...traces(join(root, "tests/trace/testdata")), ...traces(process.env.FLATOUT_TRACES ?? join(root, "../shared/traces"))];
// Every change opens these of the stored traces; the others are near relatives, for make test-slow.
const chosen = ["h200_gpt2", "resnet50_v100_workers0", "hta_control_nccl", "tracelens_h100_bert_small"];
const left = (file) => !process.env.FLATOUT_SLOW && !chosen.some((name) => basename(file).startsWith(name)) && "slow: run by make test-slow";
const shared = {};

before(async () => {
  if (skip) return;
  shared.folder = mkdtempSync(join(tmpdir(), "flatout-perfetto-"));
  shared.browser = await chromium.launch(launchOptions());
});

after(async () => {
  await shared.browser?.close();
  if (shared.folder) rmSync(shared.folder, { recursive: true, force: true });
});

const sums = (entries) => entries.reduce((out, [key, value]) => out.set(key, (out.get(key) ?? 0) + value), new Map());
const sorted = (map) => [...map].sort(([a], [b]) => (a < b ? -1 : 1));
const ns = (us) => Math.round(us * 1000);

// By lane: how many spans and marks, and of counters how many readings, as the file has them.
function ofFile(path) {
  const { traceEvents } = JSON.parse(readFileSync(path, "utf8"));
  const of = (phase) => traceEvents.filter((event) => event.ph === phase);
  const lane = (event) => `${event.pid} ${event.tid}`;
  const names = new Map(of("M").filter((event) => event.name === "thread_name").map((event) => [lane(event), event.args.name]));
  return {
    spans: sorted(sums([...of("X"), ...of("i")].map((event) => [names.get(lane(event)), 1]))),
    times: sums(of("X").map((event) => [names.get(lane(event)), ns(event.dur)])),
    counters: sorted(sums(of("C").map((event) => [event.name, 1]))).map(([name, count]) => [name.replace(/ .*/, ""), count]),
    arrows: of("s").length,
  };
}

async function checked(path, act = async () => {}) {
  const own = ofFile(path);
  const { page, rows, problems, close } = await openedInPerfetto(shared.browser, path);
  assert.deepEqual(await rows("select name, value from stats where severity in ('error', 'data_loss') and value > 0"), []);
  const lanes = await rows("select t.name, count(*), sum(s.dur) from slice s join thread_track k on s.track_id = k.id join thread t using (utid) group by 1");
  assert.deepEqual(sorted(sums(lanes.map(([name, count]) => [name, count]))), own.spans);
  for (const [name, count, time] of lanes) assert.ok(Math.abs(time - (own.times.get(name) ?? 0)) <= count, `${name}: ${time} ns, ${own.times.get(name)} in the file`);
  assert.deepEqual(await rows("select count(*) from flow"), [[own.arrows]]);
  const counters = sums((await rows("select k.name, count(*) from counter c join counter_track k on c.track_id = k.id group by 1")).map(([name, count]) => [name.replace(/ .*/, ""), count]));
  assert.deepEqual(sorted(counters), own.counters);
  await act(page, rows);
  assert.deepEqual(problems, []);
  await close();
}

// A group of lanes shows `lane` once it is open.
async function unfolded(page, group, lane) {
  const title = (name) => page.getByText(new RegExp(`^${name}`)).first();
  await title(group).dispatchEvent("click");
  await title(lane).waitFor();
  await title(group).dispatchEvent("click");
}

for (const file of files) {
  test(`Perfetto opens what is written of ${basename(file)}`, { skip: skip || left(file) }, async () => {
    const path = join(shared.folder, "trace.json");
    execFileSync(flatout, ["analyze", file, "--format", "perfetto", "-o", path], { stdio: "pipe" });
    const { devices } = JSON.parse(execFileSync(flatout, ["analyze", file, "--format", "json"], { maxBuffer: 1 << 28 }));
    await checked(path, async (page, rows) => {
      for (const device of devices) {
        const causes = new Map(await rows(`select substr(s.name, 7), sum(s.dur) / 1e6 from slice s join thread_track k on s.track_id = k.id join thread t using (utid) where t.name = 'GPU ${device.index} idle' group by 1`));
        for (const [cause, share] of Object.entries(device.idle_account)) {
          assert.ok(Math.abs((causes.get(cause) ?? 0) - share * device.window_ms) < 0.001 + 1e-5 * device.window_ms, `${cause}: ${causes.get(cause)} ms of ${device.window_ms}, ${share}`);
        }
        await unfolded(page, `GPU ${device.index} `, `GPU ${device.index} idle`);
      }
    });
  });
}

test("Perfetto opens a recorded run", { skip }, async () => {
  const { ended } = startedRun(join(shared.folder, "home"), ["--name", "loop"], [python, join(root, "tests/faults/programs/steps.py"), join(shared.folder, "announced"), "200"], shared.folder);
  const { code, said } = await ended;
  assert.equal(code, 0, said);
  execFileSync(flatout, ["export", "loop", "--home", join(shared.folder, "home"), "--format", "perfetto", "--out", join(shared.folder, "seen")]);
  await checked(join(shared.folder, "seen/trace.perfetto.json"), async (page, rows) => {
    const [[steps]] = await rows("select count(*) from slice s join thread_track k on s.track_id = k.id join thread t using (utid) where t.name = 'steps'");
    assert.ok(steps >= 199, `${steps} steps`);
    await unfolded(page, "training", "steps");
  });
});
