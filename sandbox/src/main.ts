import { maskFields } from "@farline/domain/mask-personal.ts";
import pino from "pino";
import { startSandbox } from "./sandbox.ts";
import { sandboxOptions, readSettings, SettingsError, type Settings } from "./settings.ts";

const CLOSE_DEADLINE_MS = 5000;
const SUPERVISOR_GONE = "supervisor gone";

/** Runs the sandbox as a process that reports when it is ready and closes on a signal or when its supervisor is gone. */
async function main(settings: Settings): Promise<void> {
  const log = pino({
    level: settings.LOG_LEVEL,
    base: { service: "sandbox" },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { log: maskFields },
  });
  // Node sometimes hangs on exit (nodejs/node#54918). Without a supervisor nobody else would kill the process.
  const killMyself = () => process.kill(process.pid, "SIGKILL");
  process.once("disconnect", killMyself);
  // The supervisor may have gone while the modules were loading.
  if (process.send !== undefined && !process.connected) killMyself();
  const sandbox = await startSandbox(sandboxOptions(settings, log));
  let closing = false;
  const close = (why: string) => {
    if (closing) return;
    closing = true;
    log.info({ why }, "closing");
    const end = (code: number) => (why === SUPERVISOR_GONE ? killMyself() : process.exit(code));
    setTimeout(() => end(1), CLOSE_DEADLINE_MS).unref();
    sandbox.close().then(
      () => end(0),
      (error: unknown) => {
        log.error({ err: error }, "did not close cleanly");
        end(1);
      },
    );
  };
  process.on("SIGTERM", () => close("SIGTERM"));
  process.on("SIGINT", () => close("SIGINT"));
  process.off("disconnect", killMyself);
  process.on("disconnect", () => close(SUPERVISOR_GONE));
  const ready = { httpPort: sandbox.port, sipPort: sandbox.network.sipPort, smtpPort: sandbox.smtpPort };
  log.info(ready, "ready");
  // A supervisor that cannot be told is gone, which "disconnect" reports.
  process.send?.({ ready: true, ...ready }, undefined, undefined, () => undefined);
}

try {
  await main(readSettings(process.env));
} catch (error) {
  const message = error instanceof SettingsError ? error.message : `The sandbox cannot start: ${(error as Error).message}`;
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
