// A page of the built site over the mock server, for one file of tests. What the console or the
// policy complains about fails the test that opened the page.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { chromium } from "playwright-core";
import { start } from "../mock/server.mjs";
import { launchOptions } from "./browser.mjs";

export const deadline = 60_000; // for what hangs; 20 s were too few on a busy machine

export function useBrowser() {
  const shared = {};
  before(async () => {
    shared.mock = await start(0, 5000);
    shared.browser = await chromium.launch(launchOptions());
  });
  after(async () => {
    await shared.browser?.close();
    shared.mock?.server.closeAllConnections();
    shared.mock?.server.close();
  });
  const open = async (hash, { width = 1280, height = 2600, dark = false, expected = [] } = {}) => {
    const context = await shared.browser.newContext({ viewport: { width, height }, colorScheme: dark ? "dark" : "light", reducedMotion: "reduce", acceptDownloads: true });
    const page = await context.newPage();
    page.setDefaultTimeout(deadline);
    const problems = [];
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
    await page.goto(`${shared.mock.url}/#/${hash}`);
    const close = async () => {
      await context.close();
      assert.deepEqual(problems.filter((text) => !expected.some((rule) => rule.test(text))), []);
    };
    return { page, close };
  };
  // Opens a page (tall, so that panels are in view and loaded), does something with it, closes it.
  const on = (hash, act, options) => async () => {
    const { page, close } = await open(hash, options);
    await act(page, shared.mock.world);
    await close();
  };
  return { on, open };
}

export async function until(what, check) {
  const end = Date.now() + deadline;
  for (;;) {
    const found = await check();
    if (found) return found;
    if (Date.now() > end) assert.fail(`not within ${deadline} ms: ${what}`);
    await new Promise((done) => setTimeout(done, 25));
  }
}

// Points at a place of something until that shows: what loads above it may move it away from under the pointer.
export async function pointed(what, locator, position, check) {
  let turn = 0;
  return until(what, async () => {
    await locator.hover({ position: { x: position.x + (turn++ % 2), y: position.y } });
    return check();
  });
}

export const address = (page) => new URLSearchParams(page.url().split("?")[1] ?? "");
export const panel = (page, id) => page.locator(`[id="panel-${id}"]`);

export async function drag(page, locator, from, to) {
  await locator.waitFor();
  await locator.evaluate((element) => element.scrollIntoView({ block: "center" }));
  const box = await locator.boundingBox();
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width * from, y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * ((from + to) / 2), y, { steps: 3 });
  await page.mouse.move(box.x + box.width * to, y, { steps: 3 });
  await page.mouse.up();
}
