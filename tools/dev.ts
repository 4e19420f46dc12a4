import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { watch } from "node:fs";
import { once } from "node:events";

/** The product for somebody who changes it: what changed is built again, and everything is started again. */
const SETTLE_MS = 200;
const webSources = ["web/src", "web/build", "web/public"];
const sources = ["contract/src", "domain/src", "server/src", "server/migrations", "voice/src", "sandbox/src", "cli/src"];

let product = startProduct();
let pending: NodeJS.Timeout | null = null;
let restarting = Promise.resolve();
let webChanged = false;

for (const folder of [...sources, ...webSources]) {
  watch(folder, { recursive: true }, (_event, file) => {
    if (!file || file.includes(".test.")) return;
    if (webSources.includes(folder)) webChanged = true;
    if (pending) clearTimeout(pending);
    pending = setTimeout(() => (restarting = restarting.then(restart)), SETTLE_MS);
  });
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    void end(product).then(() => process.exit(0));
  });
}

function startProduct(): ChildProcess {
  return spawn(process.execPath, ["cli/src/main.ts", "start"], { stdio: "inherit" });
}

async function restart(): Promise<void> {
  console.log("Sources changed: starting again …");
  await end(product);
  if (webChanged) spawnSync("npm", ["run", "build", "-w", "@farline/web", "--", "--logLevel", "warn"], { stdio: "inherit" });
  webChanged = false;
  product = startProduct();
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  await exited;
}
