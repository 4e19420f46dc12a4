import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

/**
 * Fails if the dialer's scripts exceed their budget: the page with its texts and numbering plans, and additionally the voice engine,
 * which is loaded before a call. Files count too, because each is a request. `npm run bench -- bundle` measures the same in a browser.
 * Also fails if a chunk imports the entry, because its page would never open.
 */
const KB = 1000;
const DIALER = [
  "index.html",
  "src/features/dialer/dialer-page.tsx",
  "../texts/en/dialer.json",
  "../domain/src/numbers/number-plans.ts",
];
const BUDGETS = [
  { what: "before a call", kB: 230, files: 16, entries: DIALER },
  { what: "with the voice engine", kB: 320, files: 17, entries: [...DIALER, "src/phone/line/telnyx-sdk.ts"] },
];

interface Chunk {
  readonly file: string;
  readonly src?: string;
  readonly imports?: readonly string[];
}

const folder = "web/dist";
const manifest = JSON.parse(readFileSync("web/renderer/dist/manifest.json", "utf8")) as Record<string, Chunk>;

for (const { what, kB, files: maxFiles, entries } of BUDGETS) {
  const files = new Set<string>();
  for (const entry of entries) collect(chunkOf(entry), files);
  const bytes = [...files].reduce((sum, file) => sum + gzipSync(readFileSync(join(folder, file))).length, 0);
  console.log(`The dialer's scripts ${what}: ${(bytes / KB).toFixed(1)} of ${kB} kB (gzip), ${files.size} of ${maxFiles} files.`);
  if (bytes > kB * KB || files.size > maxFiles) process.exitCode = 1;
}

const waiting = Object.entries(manifest).filter(([, { imports }]) => imports?.includes("index.html"));
if (waiting.length > 0) {
  console.log(`These chunks import the entry, which waits for the first page: ${waiting.map(([name]) => name).join(", ")}`);
  process.exitCode = 1;
}

function chunkOf(entry: string): Chunk {
  const found = manifest[entry];
  if (found === undefined) throw new Error(`The build has no chunk of ${entry}.`);
  return found;
}

function collect(chunk: Chunk, files: Set<string>): void {
  if (files.has(chunk.file)) return;
  files.add(chunk.file);
  for (const name of chunk.imports ?? []) collect(manifest[name] as Chunk, files);
}
