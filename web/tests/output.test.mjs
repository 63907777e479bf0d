// The program's output beside the panels: it follows their cursor, and moves it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { address, panel, until, useBrowser } from "./page.mjs";

const { on } = useBrowser();
const here = (page) => page.locator("#output tr.here .text").textContent({ timeout: 500 }).catch(() => "");
const shown = (page) => page.locator("#output .lines tbody tr").count();

test("the end is shown first, and the rest as one scrolls", on("run/gpus", async (page) => {
  const lines = page.locator("#output .lines");
  await lines.getByText("step 1799").waitFor();
  const before = await shown(page);
  await lines.evaluate((box) => (box.scrollTop = 0));
  await until("earlier lines", async () => (await shown(page)) > before);
}));

test("pointing into a plot marks the last line before that time, wherever it is", on("run/gpus", async (page) => {
  const plot = panel(page, "phases").locator(".u-over");
  await plot.waitFor();
  await page.locator("#output").getByText("step 1799").waitFor();
  const marked = await until("a marked line", async () => {
    const box = await plot.boundingBox(); // panels move while others are loaded
    await page.mouse.move(box.x + box.width * 0.25, box.y + box.height / 2);
    await page.waitForTimeout(250); // more than the panel waits
    return /step (\d+)|epoch (\d+)/.exec(await here(page));
  });
  const line = marked[1] ? Number(marked[1]) : Number(marked[2]) * 50;
  assert.ok(Math.abs(line / 1800 - 0.25) < 0.05, `line ${line} of 1800 at a quarter`);
  await until("that line in view", () => page.locator("#output tr.here").evaluate((row) => { const of = row.closest(".lines").getBoundingClientRect(); const own = row.getBoundingClientRect(); return own.top >= of.top && own.bottom <= of.bottom; }));
}));

test("a line that is chosen moves the cursor of the panels", on("run/gpus", async (page) => {
  await page.locator(".u-over").first().waitFor();
  await page.locator("#output").getByText("step 1702").click();
  assert.match(await here(page), /step 1702/);
  await until("the cursor in a plot", () => page.evaluate(() => [...document.querySelectorAll(".u-cursor-x")].some((one) => !one.classList.contains("u-off") && /translate\([1-9]/.test(one.style.transform))));
  await page.locator("#output .lines").focus();
  await page.keyboard.press("ArrowDown");
  assert.match(await here(page), /step 1703/);
}));

test("text is searched in all lines, by stream too, and stands in the address", on("run/gpus", async (page) => {
  await page.locator("#output").getByLabel("Find").fill("EPOCH 1");
  await until("what was found", async () => (await shown(page)) === 11);
  assert.equal(address(page).get("out"), "EPOCH 1");
  await page.locator("#output").getByLabel("Find").fill("");
  await page.locator("#output select").selectOption("stderr");
  await until("stderr alone", async () => (await shown(page)) === 1);
  assert.equal(await page.locator("#output .text").textContent(), "stderr: UserWarning: <b>lr</b> is high");
}));

test("a running run is followed", on("run/live", async (page) => {
  const last = () => page.locator("#output tbody tr:last-child .text").textContent();
  await page.locator("#output tbody tr").first().waitFor();
  const before = await last();
  await until("a newer line", async () => (await last()) !== before);
  const box = page.locator("#output .lines");
  assert.ok(await box.evaluate((one) => one.scrollHeight - one.scrollTop - one.clientHeight < 60));
}));

test("a run without output has no such panel", on("run/base", async (page) => {
  await page.locator(".u-over").first().waitFor();
  assert.equal(await page.locator("#output").count(), 0);
}));
