import { execFileSync } from "node:child_process";
import { chownSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { freePort } from "@farline/voice/test/free-port.ts";
import { CallLoad } from "./support/call-load.ts";
import { buildah, Container } from "./support/container.ts";
import { folder, requirePrograms, runDrill, say } from "./support/run-drill.ts";
import { environment, keyFiles, sandboxTrunks, startOutside } from "./support/service-process.ts";
import { until } from "./support/readiness.ts";

/**
 * A drill: builds the images of the service and the exchange (deploy/Containerfile), starts both with buildah instead of a container engine,
 * asks the health checks of deploy/compose.yaml, makes calls and stops them. The base is `--base`, or Debian with this machine's Node, made
 * with debootstrap. Needs root, `buildah` and `debootstrap`. Exits with 2 if a call fails or a program does not stop by itself.
 */
const ROOT = fileURLToPath(new URL("..", import.meta.url));
const DEBIAN_BASE = "localhost/farline-base";
/** Of the user of the images. */
const USER = 10_001;
const KEYS = "/etc/farline/keys";
const TRUNKS = "/etc/farline/trunks.json";
const CALLS = { callers: 2, speaking: 2, talkMs: 2_000, everyMs: 4_000 };
const CALLS_MS = 10_000;

await runDrill(async () => {
  requirePrograms("buildah");
  const base = parseArgs({ args: process.argv.slice(3), options: { base: { type: "string" } } }).values.base ?? makeDebianBase();
  for (const name of ["service", "exchange"] as const) {
    say(`Building farline-${name} on ${base} …`);
    const file = ["--file", "deploy/Containerfile", "--build-arg", `BASE=${base}`];
    buildah("bud", "--quiet", ...file, "--target", name, "--tag", `farline-${name}`, ROOT);
  }
  const [door, browsers, commands] = [await freePort(), await freePort(), await freePort()];
  const url = `http://127.0.0.1:${door}`;
  const { database, sandbox } = await startOutside(url);
  writeFileSync(join(folder, "trunks.json"), sandboxTrunks(sandbox.sipPort), { mode: 0o644 });
  mkdirSync(join(folder, "keys"));
  chownSync(join(folder, "keys"), USER, USER);
  const volumes = [`${join(folder, "keys")}:${KEYS}`, `${join(folder, "trunks.json")}:${TRUNKS}:ro`];

  const { PATH: _path, HOME: _home, ...settings } = environment(door, sandbox.url);
  const service = new Container("service", {
    volumes,
    env: {
      ...settings,
      ...keyFiles(KEYS, "TELNYX_API_KEY", "TELNYX_PUBLIC_KEY", "TELNYX_CONNECTION_ID", "SECRET_KEYS"),
      DATABASE_URL: database.url,
      TELNYX_API_BASE: `http://127.0.0.1:${commands}`,
      VOICE_WS_URL: `ws://localhost:${browsers}`,
    },
  });
  service.run("node", "cli/src/main.ts", "keys", KEYS);
  const exchange = new Container("exchange", {
    volumes,
    env: {
      ...keyFiles(KEYS, "TELNYX_API_KEY", "TELNYX_CONNECTION_ID", "EXCHANGE_TOKEN_KEY", "EXCHANGE_SIGNING_KEY"),
      VOICE_PORT: String(browsers),
      VOICE_CONTROL_PORT: String(commands),
      SIP_PORT: "0",
      WEBHOOK_URL: `${url}/api/webhooks/telnyx`,
      ALLOWED_ORIGINS: url,
      SIP_TRUNKS: TRUNKS,
      VOICE_JOURNAL: "/var/lib/farline/exchange.journal",
      LOG_LEVEL: "error",
    },
  });
  for (const [container, ports] of [
    [exchange, { 3002: browsers }],
    [service, { 3000: door }],
  ] as const) {
    container.start();
    const ms = await container.healthy(ports);
    say(`${container.name}: healthy after ${(ms / 1_000).toFixed(1)} s`);
  }

  const calls = new CallLoad({ url }, CALLS);
  calls.start();
  await pause(CALLS_MS);
  await calls.stop();
  await until("settled calls", async () => (await calls.compare(database.url)).length === 0);
  await calls.leave();
  for (const [reason, count] of calls.failures) say(`WRONG: ${count} calls failed: ${reason}`);
  say(`calls: ${calls.answered.size} answered, ${calls.echoed} with sound in both directions, ${calls.failed} failed`);

  const codes = [await service.stop(), await exchange.stop()];
  say(`exit codes after SIGTERM: ${codes.join(", ")}`);
  return calls.failed === 0 && calls.echoed > 0 && codes.every((code) => code === 0);
});

/** Debian's smallest system of this machine's release, with Node and npm as this machine has them. @returns the image's name */
function makeDebianBase(): string {
  const release = /^VERSION_CODENAME=(.+)$/m.exec(readFileSync("/etc/os-release", "utf8"))?.[1] ?? "stable";
  say(`Making ${DEBIAN_BASE} of Debian ${release} …`);
  const container = buildah("from", "scratch");
  try {
    const root = buildah("mount", container);
    execFileSync("debootstrap", ["--variant=minbase", "--include=ca-certificates", release, root], { stdio: "ignore" });
    cpSync(process.execPath, join(root, "usr/local/bin/node"));
    const npm = join(execFileSync("npm", ["root", "--global"], { encoding: "utf8" }).trim(), "npm");
    cpSync(npm, join(root, "usr/local/lib/node_modules/npm"), { recursive: true });
    symlinkSync("../lib/node_modules/npm/bin/npm-cli.js", join(root, "usr/local/bin/npm"));
    buildah("config", "--env", "PATH=/usr/local/bin:/usr/bin:/bin", container);
    // The certificates of a network that has its own.
    const certificates = process.env["NODE_EXTRA_CA_CERTS"];
    if (certificates !== undefined) {
      const path = `/usr/local/share/${basename(certificates)}`;
      cpSync(certificates, join(root, path));
      buildah("config", "--env", `NODE_EXTRA_CA_CERTS=${path}`, container);
    }
    buildah("commit", "--quiet", container, DEBIAN_BASE);
  } finally {
    buildah("rm", container);
  }
  return DEBIAN_BASE;
}
