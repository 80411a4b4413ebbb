// What the scripts that open pages in Chromium share: the browser, a page per item of a plan, the report.
// usage: node SCRIPT.mjs CHROMIUM PLAYWRIGHT PLAN.json   (playwright-core of web/node_modules)
// The plan is a list of items; for each of them one line "ok NAME" or "not ok NAME: reason" is printed.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [chromiumPath, playwrightPath, planPath] = process.argv.slice(2);
const { chromium } = (await import(pathToFileURL(playwrightPath).href)).default;
// [ms] after which a page is considered hung; no measure of speed
const LONG = Number(process.env.PATIENCE ?? 300000);

export function check(condition, text) {
  if (!condition) throw new Error(text);
}

export const state = (page) => page.evaluate(() => window.viewer.state);
export const nextFrame = (page) =>
  page.evaluate(() => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go))));

/** A page that stands still unless told otherwise; what it says on the console is in `messages`. */
export async function openPage(browser, path, more = {}) {
  const options = { viewport: { width: 840, height: 520 }, reducedMotion: "reduce", offline: true, ...more };
  const context = await browser.newContext(options);
  const page = await context.newPage();
  page.setDefaultTimeout(LONG);
  page.messages = [];
  page.on("console", (m) => ["error", "warning"].includes(m.type()) && page.messages.push(m.text()));
  page.on("pageerror", (e) => page.messages.push(e.message));
  const own = (r) => /^(file|data|blob):/.test(r.url());
  page.on("request", (r) => own(r) || page.messages.push(`request of ${r.url()}`));
  await page.goto(pathToFileURL(path).href);
  return page;
}

export async function untilDrawn(page) {
  await page.waitForFunction(() => window.viewer, null, { timeout: LONG });
  await nextFrame(page);
}

/** The console has said nothing; messages of the graphics driver of the machine are not ours. */
export function checkConsole(page) {
  const own = page.messages.filter((m) => !/GPU stall|WebGL.*fallback|SwiftShader/i.test(m));
  check(own.length === 0, `the console says: ${own.join("; ")}`);
}

/** watch(browser, item) does what a person would do with the page of an item, and throws if it is wrong. */
export async function runPlan(watch) {
  const browser = await chromium.launch({
    executablePath: chromiumPath,
    args: [
      "--no-sandbox",
      "--use-gl=angle",
      "--use-angle=swiftshader",
      "--enable-unsafe-swiftshader",
      "--allow-file-access-from-files",
    ],
  });
  for (const item of JSON.parse(readFileSync(planPath, "utf8"))) {
    try {
      await watch(browser, item);
      console.log(`ok ${item.name}`);
    } catch (e) {
      console.log(`not ok ${item.name}: ${e.message.split("\n").slice(0, 8).join(" ")}`);
    } finally {
      for (const context of browser.contexts()) await context.close();
    }
  }
  await browser.close();
}
