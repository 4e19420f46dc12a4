import { ConfigError, readConfig, type Config } from "./platform/settings/config.ts";
import { createLog } from "./platform/log.ts";
import { startService } from "./service.ts";

/** The process exits this long after its notice even if something hangs. */
const STOP_LIMIT_MS = 5_000;

function readConfigOrExit(): Config {
  try {
    return readConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return process.exit(1);
  }
}

const config = readConfigOrExit();
const log = createLog(config.logLevel, "service");
for (const warning of config.warnings) log.warn(warning);
/** Node sometimes hangs on exit (nodejs/node#54918). A supervisor would kill it; without one, the process kills itself. */
const killMyself = () => process.kill(process.pid, "SIGKILL");
// If the supervisor goes before this process is ready, there is nothing to close.
process.once("disconnect", killMyself);
// The supervisor may have gone while the modules were loading.
if (process.send !== undefined && !process.connected) killMyself();
const service = await startService(config, { log }).catch((error: unknown) => {
  log.fatal({ err: error }, "service could not start");
  process.exit(1);
});

let stopping = false;
async function stop(why: string): Promise<void> {
  if (stopping) return;
  stopping = true;
  log.info({ why }, "stopping");
  const exit = (code: number) => (why === "disconnect" ? killMyself() : process.exit(code));
  const noticeMs = why === "SIGTERM" ? config.stopNoticeSeconds * 1_000 : 0;
  setTimeout(() => {
    log.error("stopping took too long");
    exit(1);
  }, noticeMs + STOP_LIMIT_MS).unref();
  try {
    await service.close(noticeMs);
    log.info("stopped");
    exit(0);
  } catch (error) {
    log.error({ err: error }, "stopped with an error");
    exit(1);
  }
}

for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => void stop(signal));
process.off("disconnect", killMyself);
process.on("disconnect", () => void stop("disconnect"));

log.info({ url: service.url, mode: config.mode }, "ready");
// A supervisor that cannot be told is gone, which "disconnect" reports.
process.send?.({ ready: true, url: service.url }, undefined, undefined, () => undefined);
