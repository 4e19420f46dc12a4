import { watch, type FSWatcher } from "node:fs";
import { resolve } from "node:path";
import type { Part, PrintLine } from "../../cli/src/start/part.ts";
import { readAddresses } from "../../cli/src/start/settings.ts";
import { startAll } from "../../cli/src/start/start-all.ts";
import { startDevServer, type DevServer } from "../../web/build/dev-server.ts";

/**
 * The product in development. Browsers talk to Vite's development server, which updates the open page and proxies everything
 * else to the service. A changed file restarts only the programs that run it.
 */
const FOLDERS = ["contract/src", "domain/src", "server", "voice/src", "sandbox/src"];
const SUPERVISOR = "cli/src/start";
/** An editor may write several files at once. */
const SETTLE_MS = 100;
const SERVICE_PORT_OFFSET = 7;

const addresses = readAddresses(process.env);
const { host, port } = addresses;
const servicePort = port + SERVICE_PORT_OFFSET;
const watchers: FSWatcher[] = [];
let web: DevServer | undefined;

process.exitCode = await startAll(
  programSettings(),
  { lan: false },
  {
    execArgv: ["--import", new URL("./report-files.ts", import.meta.url).href],
    async started(parts, printLine) {
      watchSources(parts, printLine);
      web = await startDevServer({ host, port, serviceOrigin: `http://127.0.0.1:${servicePort}` });
    },
  },
);
for (const watcher of watchers) watcher.close();
await web?.close();

/** Every program uses the same port as with `npm start`, except the service, whose port the development server uses. */
function programSettings(): NodeJS.ProcessEnv {
  return {
    ...process.env,
    PUBLIC_URL: addresses.publicUrl,
    PORT: String(servicePort),
    SANDBOX_PORT: String(addresses.sandboxPort),
    VOICE_PORT: String(addresses.voicePort),
    SANDBOX_SIP_PORT: String(addresses.sandboxSipPort),
    SIP_PORT: String(addresses.exchangeSipPort),
    SANDBOX_SMTP_PORT: String(addresses.sandboxSmtpPort),
    VOICE_CONTROL_PORT: String(addresses.voiceControlPort),
    TRUSTED_PROXIES: "1",
  };
}

function watchSources(parts: readonly Part[], printLine: PrintLine): void {
  const changed = new Set<string>();
  let pending: NodeJS.Timeout | undefined;
  let restarting = Promise.resolve();
  const settle = () => {
    const files = [...changed];
    changed.clear();
    restarting = restarting.then(() => restartWhatRuns(files, parts, printLine));
  };
  const follow = (folder: string, take: (file: string) => void) =>
    watchers.push(watch(folder, { recursive: true }, (_event, name) => name !== null && take(resolve(folder, name))));
  for (const folder of FOLDERS)
    follow(folder, (file) => {
      if (!/\.(ts|sql|json)$/.test(file) || file.endsWith(".test.ts")) return;
      changed.add(file);
      clearTimeout(pending);
      pending = setTimeout(settle, SETTLE_MS);
    });
  follow(SUPERVISOR, () => printLine("farline", "The supervisor has changed: restart npm run dev."));
}

async function restartWhatRuns(files: readonly string[], parts: readonly Part[], printLine: PrintLine): Promise<void> {
  const affected = parts.filter((part) => part.isDown || files.some((file) => runs(part, file)));
  await Promise.all(
    affected.map(async (part) => {
      printLine("farline", `Restarting the ${part.name}: its code changed.`);
      await part.restart();
    }),
  );
}

/** SQL belongs to the service, which applies it at start. */
function runs(part: Part, file: string): boolean {
  return part.loaded.has(file) || (file.endsWith(".sql") && part.name === "service");
}
