// What holds for all views: no serious fault for assistive technology, light and dark, and 400 pixels.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { test } from "node:test";
import { useBrowser } from "./page.mjs";

const { on, open } = useBrowser();
const views = { list: "runs?group=project&sel=base", run: "run/gpus", tune: "run/tune", compare: "compare?ids=base,gpus" };
const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

// Each view in one of the two: that both have contrast is held by src/styles/colours.test.ts.
for (const [name, hash] of Object.entries(views))
  for (const dark of [name === "tune" || name === "list"])
    test(`axe finds no serious fault in ${name}, ${dark ? "dark" : "light"}`, on(hash, async (page) => {
      await page.locator(".u-over, .space .row").first().waitFor();
      await page.evaluate(axe);
      const found = await page.evaluate(() => globalThis.axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"] }));
      const faults = found.violations.filter((one) => ["serious", "critical"].includes(one.impact));
      assert.deepEqual(faults.map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(" | ")}`), []);
    }, { dark, height: 1400 }));

for (const [name, hash] of Object.entries(views))
  test(`${name} fits 400 pixels`, on(hash, async (page) => {
    await page.locator(".u-over, .space .row").first().waitFor();
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 400);
    // Text may not run out of its box, where no scrolling would show it.
    const out = await page.evaluate(() => [...document.querySelectorAll(".verdict *, h1, .meta *")].filter((one) => one.getBoundingClientRect().right > 400).map((one) => one.textContent));
    assert.deepEqual(out, []);
  }, { width: 400, height: 3000 }));

test("the system says whether it is dark, also while the page is open", async () => {
  const { page, close } = await open("run/gpus", { dark: true });
  await page.locator(".u-over").first().waitFor();
  const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  assert.equal(await ground(), "rgb(20, 24, 29)");
  await page.emulateMedia({ colorScheme: "light" });
  assert.equal(await ground(), "rgb(255, 255, 255)");
  await close();
});

test("names hold no markup", async () => {
  const evil = await open("run/gpus");
  await evil.page.getByLabel("Note", { exact: true }).fill('<img src=x onerror="document.title=1">');
  await evil.page.keyboard.press("Enter");
  await evil.page.reload();
  await evil.page.getByLabel("Note", { exact: true }).waitFor();
  assert.equal(await evil.page.title(), "gpus – flatout");
  await evil.close();
});
