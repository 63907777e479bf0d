// Pictures of the page, to look at: node tests/shot.mjs BASE_URL OUT [name:hash:width:height:dark|light:full]...
import { chromium } from "playwright-core";
import { launchOptions } from "./browser.mjs";

const [, , base, out, ...wanted] = process.argv;
const browser = await chromium.launch(launchOptions());
for (const one of wanted) {
  const [name, hash, width, height, scheme, full] = one.split("|");
  const context = await browser.newContext({ viewport: { width: +width, height: +height }, colorScheme: scheme || "light" });
  const page = await context.newPage();
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && console.log(name, message.text()));
  page.on("pageerror", (error) => console.log(name, error.message));
  if (base.includes("?")) await page.goto(base); // with its token
  await page.goto(`${new URL(base).origin}/#/${hash}`);
  await page.waitForLoadState("load");
  await page.waitForTimeout(2500);
  if (full) {
    // What comes into view is loaded then.
    const height_ = await page.evaluate(() => document.documentElement.scrollHeight);
    for (let y = 0; y < height_; y += 600) { await page.evaluate((to) => scrollTo(0, to), y); await page.waitForTimeout(150); }
    await page.evaluate(() => scrollTo(0, 0));
    await page.waitForTimeout(400);
  }
  await page.screenshot({ path: `${out}/${name}.png`, fullPage: !!full });
  await context.close();
}
await browser.close();
