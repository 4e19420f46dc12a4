import { globSync, readFileSync } from "node:fs";

/**
 * The address as it was sent has many spellings (`/%61pi`, `//api`), and only the router knows which route it reached: code that
 * reads it decides differently from the router. `request.routeOptions`, `request.params` and `request.query` say what is meant.
 */
const RAW_URL =
  /\b(?:request|req|message)(?:\.raw)?(?:\?)?\.(?:url|originalUrl)\b|\braw\.(?:url|originalUrl)\b|\{[^{}]*\burl\b[^{}]*\}\s*=\s*(?:request|req)(?:\.raw)?\s*;/;
/** Files that have no router in front of them. */
const EXEMPT = new Map([
  ["sandbox/src/google/google-sandbox.ts", "hands the request on to a provider that routes by itself"],
  ["voice/src/verto/verto-server.ts", "reads the query of a WebSocket's upgrade, and decides nothing by its path"],
]);

let wrong = 0;
for (const file of globSync("{server,sandbox,voice}/src/**/*.ts")) {
  if (EXEMPT.has(file) || file.endsWith(".test.ts")) continue;
  for (const [index, line] of readFileSync(file, "utf8").split("\n").entries()) {
    if (!RAW_URL.test(line)) continue;
    wrong += 1;
    console.log(`${file}:${index + 1} reads the address as it was sent, ask the router instead: ${line.trim()}`);
  }
}
if (wrong > 0) process.exitCode = 1;
