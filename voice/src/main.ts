import { RateLimitedLog } from "./rate-limits/rate-limited-log.ts";
import { ConfigError, readConfig, type ExchangeConfig } from "./config.ts";
import { startExchange } from "./exchange.ts";
import { createLog } from "./log.ts";

const STOP_TIMEOUT_MS = 8_000;

const SUPERVISOR_GONE = "supervisor gone";

function configOrExit(): ExchangeConfig {
  try {
    return readConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
    return process.exit(1);
  }
}

const config = configOrExit();
const log = createLog(config.logLevel, "exchange");
const limitedLog = new RateLimitedLog(log);
// An unhandled rejection concerns one call; exiting would end all of them.
process.on("unhandledRejection", (reason) => limitedLog.warn({ err: reason }, "unhandled rejection"));
// Under `npm start` it must stop at once.
const supervised = process.send !== undefined;
/** Node sometimes hangs on exit (nodejs/node#54918). Without a supervisor the process must kill itself, or it would keep its ports. */
const killMyself = () => process.kill(process.pid, "SIGKILL");
if (supervised) process.once("disconnect", killMyself);
// The supervisor may have gone while the modules were loading.
if (supervised && !process.connected) killMyself();
const exchange = await startExchange(config, log);

const ports = { port: exchange.port, controlPort: exchange.controlPort, sipPort: exchange.sipPort };
log.info({ ...ports, trunks: config.trunks.map(({ name }) => name) }, "ready");
// A supervisor that cannot be told is gone, which "disconnect" reports.
process.send?.({ ready: true, ...ports }, undefined, undefined, () => undefined);

let stopping = false;
async function stop(why: string): Promise<void> {
  if (stopping) return;
  stopping = true;
  log.info({ why }, "stopping");
  setTimeout(() => (why === SUPERVISOR_GONE ? killMyself() : process.exit(1)), STOP_TIMEOUT_MS).unref();
  await exchange.close();
  log.info("stopped");
  if (why === SUPERVISOR_GONE) killMyself();
  process.exit(0);
}

let draining = false;
/** Lets live calls end, up to the drain time. A second request ends them at once. */
async function drain(why: string): Promise<void> {
  if (draining) return stop(why);
  draining = true;
  log.info({ why }, "draining");
  await exchange.drain();
  await stop("drained");
}

process.on("SIGTERM", () => void (supervised ? stop("SIGTERM") : drain("SIGTERM")));
process.on("SIGINT", () => void stop("SIGINT"));
process.on("SIGHUP", () => exchange.reload());
process.off("disconnect", killMyself);
process.on("disconnect", () => void stop(SUPERVISOR_GONE));
