// Bundles the viewer into one HTML page without data, and writes it as a C array.
// usage: node build.mjs OUT.c [PAGE.html]
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";

const out = process.argv[2] ?? "viewer.c";
const result = await build({
  entryPoints: { viewer: "src/main.ts", style: "src/style.css" },
  bundle: true,
  minify: true,
  write: false,
  outdir: "dist",
  format: "iife",
  target: ["chrome100", "firefox100", "safari15.4"],
  legalComments: "inline",
  charset: "ascii",
  logLevel: "warning",
});
const text = (end) => result.outputFiles.find((f) => f.path.endsWith(end)).text;
// Nothing in the page may look like its end to the parser of HTML.
const script = text("viewer.js").replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
const hash = createHash("sha256").update(script, "utf8").digest("base64");
const page = readFileSync("src/page.html", "utf8")
  .replace("%HASH%", () => hash)
  .replace("%STYLE%", () => text("style.css").trim())
  .replace("%SCRIPT%", () => script);

if (process.argv[3]) writeFileSync(process.argv[3], page);
const bytes = Buffer.from(page, "utf8");
const lines = [];
for (let i = 0; i < bytes.length; i += 32) lines.push(Array.from(bytes.subarray(i, i + 32)).join(","));
writeFileSync(
  out,
  `// Made by web/build.mjs.\n#include "view/page/page.h"\n` +
    `const unsigned char tmli_viewer_page[] = {\n${lines.join(",\n")}};\n` +
    `const size_t tmli_viewer_page_size = sizeof tmli_viewer_page;\n`,
);
