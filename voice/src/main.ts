import pino from "pino";
import { ConfigError, readConfig, type ExchangeConfig } from "./config.ts";
import { startWholeExchange } from "./whole-exchange.ts";

/** Kills a shutdown that hangs. */
const STOP_TIMEOUT_MS = 8_000;

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
const log = pino({ level: config.logLevel, base: { service: "exchange" }, timestamp: pino.stdTimeFunctions.isoTime });
const exchange = await startWholeExchange(config, log);

const ports = { port: exchange.port, controlPort: exchange.controlPort, sipPort: exchange.sipPort };
log.info({ ...ports, trunks: config.trunks.map(({ name }) => name) }, "ready");
process.send?.({ ready: true, ...ports });

let stopping = false;
async function stop(why: string): Promise<void> {
  if (stopping) return;
  stopping = true;
  log.info({ why }, "stopping");
  setTimeout(() => process.exit(1), STOP_TIMEOUT_MS).unref();
  await exchange.close();
  log.info("stopped");
  process.exit(0);
}

process.on("SIGTERM", () => void stop("SIGTERM"));
process.on("SIGINT", () => void stop("SIGINT"));
process.on("disconnect", () => void stop("supervisor gone"));
// It may have gone before anybody listened.
if (process.send !== undefined && !process.connected) void stop("supervisor gone");
