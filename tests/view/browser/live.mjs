// Watches the page of a server while its result grows.
// usage: node live.mjs CHROMIUM PLAYWRIGHT ADDRESS   (playwright-core of web/node_modules)
// Prints the state of the page when it is open, and again when the run has ended, as lines of JSON. A message
// on the console or a page that was loaded again is a failure.
import { pathToFileURL } from "node:url";

const [chromiumPath, playwrightPath, address] = process.argv.slice(2);
const { chromium } = (await import(pathToFileURL(playwrightPath).href)).default;
const browser = await chromium.launch({
  executablePath: chromiumPath,
  args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
});
const page = await browser.newPage({ viewport: { width: 900, height: 650 } });
page.setDefaultTimeout(300000);
const faults = [];
let loads = 0;
page.on("load", () => loads++);
page.on("pageerror", (e) => faults.push(e.message));
page.on("console", (m) => {
  // not the software renderer's own notes
  if (["error", "warning"].includes(m.type()) && !/GL Driver/.test(m.text())) faults.push(m.text());
});
await page.goto(address);
await page.waitForFunction(() => window.viewer?.state.live === "running");
console.log(JSON.stringify(await page.evaluate(() => window.viewer.state)));
await page.waitForFunction(() => window.viewer.state.live === "ended");
console.log(JSON.stringify(await page.evaluate(() => window.viewer.state)));
if (process.env.PICTURE) await page.screenshot({ path: process.env.PICTURE });
await browser.close();
if (loads !== 1) faults.push(`the page was loaded ${loads} times`);
if (faults.length) throw new Error(faults.join("; "));
