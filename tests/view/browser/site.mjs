// Searches the documentation site from the disk.
// usage: node site.mjs CHROMIUM PLAYWRIGHT PAGE.html WORD   (playwright-core of web/node_modules)
// Prints the addresses that are found, one per line. A message on the console is a failure.
import { pathToFileURL } from "node:url";

const [chromiumPath, playwrightPath, pagePath, word] = process.argv.slice(2);
const { chromium } = (await import(pathToFileURL(playwrightPath).href)).default;
const browser = await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox"] });
const page = await browser.newPage({ viewport: { width: 1300, height: 700 } });
page.setDefaultTimeout(300000);
const faults = [];
page.on("pageerror", (e) => faults.push(e.message));
page.on("console", (m) => ["error", "warning"].includes(m.type()) && faults.push(m.text()));
await page.goto(pathToFileURL(pagePath).href);
await page.click(".md-search__input");
await page.keyboard.type(word);
await page.waitForSelector(".md-search-result__link");
for (const address of await page.$$eval(".md-search-result__link", (links) => links.map((a) => a.href)))
  console.log(address);
await browser.close();
if (faults.length) throw new Error(faults.join("; "));
