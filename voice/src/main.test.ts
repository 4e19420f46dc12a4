import { Cleanups } from "@farline/sip/test/cleanups.ts";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { ExchangeProcess } from "../test/exchange-process.ts";
import { freePort } from "../test/free-port.ts";

const cleanups = new Cleanups();
afterEach(() => cleanups.end());

test("the exchange survives an unhandled rejection", async () => {
  const folder = mkdtempSync(join(tmpdir(), "farline-rejection-"));
  cleanups.add(() => rmSync(folder, { recursive: true }));
  const survived = join(folder, "survived");
  // Preloaded: a signal causes the rejection, and a file proves that the event loop continued.
  const plant = `import { writeFileSync } from "node:fs";
    process.on("SIGUSR2", () => {
      void Promise.reject(new Error("planted"));
      setImmediate(() => writeFileSync(${JSON.stringify(survived)}, ""));
    });`;
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(plant)}` };
  const exchange = await ExchangeProcess.start(await freePort(), { env });
  cleanups.add(() => exchange.close());
  process.kill(exchange.pid, "SIGUSR2");
  await expect.poll(() => existsSync(survived)).toBe(true);
  expect(await exchange.readiness()).toBe(200);
});

test("an exchange whose supervisor goes while it starts does not stay behind, and can be started again", async () => {
  const exchange = await ExchangeProcess.start(await freePort());
  cleanups.add(() => exchange.close());
  await exchange.end("SIGKILL");
  expect(await exchange.startWithLostSupervisor()).toBe("SIGKILL");
  await exchange.startAgain();
  expect(await exchange.readiness()).toBe(200);
});
