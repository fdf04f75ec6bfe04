// Bundle everything into one page; scripts and styles are named by hash in its content policy.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const target = new URL("../src/cornerlaw/viewer/page/viewer.html", import.meta.url);
const result = await build({
  entryPoints: ["src/main.ts"],
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  write: false,
  legalComments: "none",
});
// a text that ends the script element must not occur inside it
const script = result.outputFiles[0].text.replaceAll("</script", "<\\/script").trim();
const style = readFileSync("src/style.css", "utf8").trim();
const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const policy = [
  "default-src 'none'",
  `script-src ${hash(script)}`,
  `style-src ${hash(style)}`,
  "img-src data: blob:",
  "connect-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");
const licence = readFileSync("node_modules/three/LICENSE", "utf8").trim();
const page = readFileSync("src/page.html", "utf8")
  .replace("%POLICY%", () => policy)
  .replace("%STYLE%", () => style)
  .replace("%SCRIPT%", () => script)
  .replace("%LICENCE%", () => `three.js\n${licence}`);
mkdirSync(new URL(".", target), { recursive: true });
writeFileSync(target, page);
console.log(`wrote ${(page.length / 1024).toFixed(0)} kB`);
