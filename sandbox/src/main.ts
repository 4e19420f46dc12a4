import { maskFields } from "@farline/domain/mask-personal.ts";
import pino from "pino";
import { startSandbox } from "./sandbox.ts";
import { sandboxOptions } from "./sandbox-options.ts";
import { readSettings, SettingsError, type Settings } from "./settings.ts";

const CLOSE_DEADLINE_MS = 5000;
const SUPERVISOR_GONE = "supervisor gone";

/** The sandbox as a process: starts, reports that it is ready, and closes on request or when its parent is gone. */
async function main(settings: Settings): Promise<void> {
  const log = pino({
    level: settings.LOG_LEVEL,
    base: { service: "sandbox" },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { log: maskFields },
  });
  const sandbox = await startSandbox(sandboxOptions(settings, log));
  let closing = false;
  const close = (why: string) => {
    if (closing) return;
    closing = true;
    log.info({ why }, "closing");
    setTimeout(() => process.exit(1), CLOSE_DEADLINE_MS).unref();
    sandbox.close().then(
      () => {
        // Node sometimes hangs while it exits (nodejs/node#54918). A supervisor would kill it; without one the process does.
        if (why === SUPERVISOR_GONE) process.kill(process.pid, "SIGKILL");
        process.exit(0);
      },
      (error: unknown) => {
        log.error({ err: error }, "did not close cleanly");
        process.exit(1);
      },
    );
  };
  process.on("SIGTERM", () => close("SIGTERM"));
  process.on("SIGINT", () => close("SIGINT"));
  process.on("disconnect", () => close(SUPERVISOR_GONE));
  // It may have gone before anybody listened.
  if (process.send !== undefined && !process.connected) return close(SUPERVISOR_GONE);
  const ready = { httpPort: sandbox.port, sipPort: sandbox.network.sipPort, smtpPort: sandbox.smtpPort };
  log.info(ready, "ready");
  process.send?.({ ready: true, ...ready });
}

try {
  await main(readSettings(process.env));
} catch (error) {
  const message = error instanceof SettingsError ? error.message : `The sandbox cannot start: ${(error as Error).message}`;
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
