import { spawn, type ChildProcess } from "node:child_process";
import { watch } from "node:fs";
import { once } from "node:events";

/**
 * The product for somebody who changes it: the web app is built again when it changes (reload the page), everything else
 * is started again when its sources change.
 */
const SETTLE_MS = 200;
const sources = ["contract/src", "domain/src", "server/src", "server/migrations", "voice/src", "sandbox/src", "cli/src"];

const web = spawn("vite", ["build", "--watch", "--logLevel", "warn"], { cwd: "web", stdio: "inherit" });
let product = startProduct();
let pending: NodeJS.Timeout | null = null;
let restarting = Promise.resolve();

for (const folder of sources) {
  watch(folder, { recursive: true }, (_event, file) => {
    if (!file || file.includes(".test.")) return;
    if (pending) clearTimeout(pending);
    pending = setTimeout(() => (restarting = restarting.then(restart)), SETTLE_MS);
  });
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    web.kill();
    void end(product).then(() => process.exit(0));
  });
}

function startProduct(): ChildProcess {
  return spawn(process.execPath, ["cli/src/main.ts", "start"], { stdio: "inherit" });
}

async function restart(): Promise<void> {
  console.log("Sources changed: starting again …");
  await end(product);
  product = startProduct();
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  await exited;
}
