// The ledger of a real tune in the page, beside the document that the tune left; for tests/tune:
//   node tests/ledger.mjs 'http://127.0.0.1:PORT/?token=T' TUNE.json
// Exit status 1 where a row, its outcome, its figures or its proof is not as the document says.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";
import { launchOptions } from "./browser.mjs";
import { deadline } from "./page.mjs";

const [, , base, document] = process.argv;
const tune = JSON.parse(readFileSync(document, "utf8"));
const figure = (value, interval) => (value === undefined ? "–" : `${value.toFixed(2)}×${interval ? ` (${interval[0].toFixed(2)} to ${interval[1].toFixed(2)})` : ""}`);

const browser = await chromium.launch(launchOptions());
try {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 2600 } })).newPage();
  page.setDefaultTimeout(deadline);
  const problems = [];
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  await page.goto(base);
  await page.goto(`${new URL(base).origin}/#/run/${tune.id}`);
  const ledger = page.locator("#ledger");
  await ledger.locator("tbody tr").first().waitFor();
  const rows = await ledger.locator("tbody tr").evaluateAll((all) => all.map((row) => [...row.cells].map((cell) => cell.innerText.trim())));
  assert.equal(rows.length, tune.trials.length);
  tune.trials.forEach((trial, i) => {
    const [outcome, change, predicted, measured, , gate, reason] = rows[i];
    assert.equal(outcome, trial.kept ? "✓ kept" : "↩ reverted");
    assert.ok(change.includes(trial.knob), change);
    assert.equal(predicted, figure(trial.predicted_speedup, trial.predicted_interval));
    assert.equal(measured, figure(trial.speedup, trial.interval));
    assert.equal(gate, { passed: "loss the same", failed: "loss differs", inconclusive: "loss unclear", not_needed: "same maths" }[trial.loss_gate]);
    assert.ok(reason.includes(trial.reason), reason);
  });
  if (tune.final) await ledger.locator(".summary", { hasText: figure(tune.final.speedup, tune.final.interval) }).waitFor();
  for (const [knob, value] of Object.entries(tune.knobs)) await ledger.getByText(`${knob} = ${JSON.stringify(value)}`).waitFor();
  // The proof: the runs of a trial, each a run in this store, and the comparison of the first that had it from its start with the baseline's.
  const own = (trial) => trial.runs[(trial.block_pairs ?? 0) > 0 ? 1 : 0];
  const proved = tune.trials.findIndex(own);
  const links = await ledger.locator("tbody tr").nth(proved).locator("a").evaluateAll((all) => all.map((one) => one.getAttribute("href")));
  for (const run of tune.trials[proved].runs) assert.ok(links.some((href) => href.includes(run)), `${links} of ${run}`);
  await ledger.locator("tbody tr").nth(proved).getByRole("link", { name: "compare" }).click();
  await page.locator(".difference .summary").first().waitFor();
  await page.goto(`${new URL(base).origin}/#/run/${own(tune.trials[proved])}`);
  await page.locator(".run-head .where a", { hasText: tune.id }).waitFor();
  assert.deepEqual(problems, []);
} finally {
  await browser.close();
}
