import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDataDirectory, type DataDirectory } from "@farline/cli/start/data-directory.ts";
import { planParts, readAddresses, writeSandboxTrunk, type Addresses } from "@farline/cli/start/settings.ts";
import { freePortBlock } from "@farline/e2e/support/product.ts";
import { startSandbox, type Sandbox } from "@farline/sandbox/sandbox.ts";
import { readSettings, sandboxOptions } from "@farline/sandbox/settings.ts";
import { readConfig } from "@farline/server/platform/settings/config.ts";
import { testDatabase, type TestDatabase } from "@farline/server/test/test-database.ts";
import { startService, type Service } from "@farline/server/service.ts";
import { readConfig as readExchangeConfig } from "@farline/voice/config.ts";
import { startExchange, type Exchange } from "@farline/voice/exchange.ts";
import pino from "pino";

type Env = Record<string, string>;

/** A complete installation in this process, as `npm start` configures it, on free ports and its own database. */
export interface Installation {
  readonly addresses: Addresses;
  /** Secrets that the parts share. Tests may use them, for example as a stolen key. */
  readonly secrets: DataDirectory["secrets"];
  readonly database: TestDatabase;
  readonly service: Service;
  readonly exchange: Exchange;
  readonly sandbox: Sandbox;
  /** The origin that browsers use for the service. */
  readonly url: string;
  readonly sandboxUrl: string;
  close(): Promise<void>;
}

/**
 * Starts sandbox, exchange and service in this process, so that a test can read their routers.
 * @param env as for `npm start`; the abuse limits are off unless `LIMITS_SCALE` says otherwise
 */
export async function startInstallation(env: Env = {}): Promise<Installation> {
  const undo: (() => unknown)[] = [];
  try {
    const folder = mkdtempSync(join(tmpdir(), "farline-security-"));
    undo.unshift(() => rmSync(folder, { recursive: true, force: true }));
    const data = openDataDirectory(folder);
    undo.unshift(() => data.release());
    const database = await testDatabase({ poolSize: 4 });
    undo.unshift(() => database.close());
    // Opens all connections now: everything shares this process, so later ones might time out.
    await database.warmUp();
    const settings: Env = { LIMITS_SCALE: "0", LOG_LEVEL: "silent", PORT: String(await freePortBlock()), ...env };
    const addresses = readAddresses(settings);
    writeSandboxTrunk(settings, addresses, data);
    const plans = new Map(planParts(settings, addresses, data, database.url).map((plan) => [plan.name, plan.env]));
    const log = pino({ level: settings["LOG_LEVEL"] ?? "silent" });
    const sandbox = await startSandbox(sandboxOptions(readSettings(plans.get("sandbox") ?? {}), log));
    undo.unshift(() => sandbox.close());
    const exchange = await startExchange(readExchangeConfig(plans.get("exchange") ?? {}), log);
    undo.unshift(() => exchange.close());
    const service = await startService(readConfig(plans.get("service") ?? {}), { log });
    undo.unshift(() => service.close());
    return {
      addresses,
      secrets: data.secrets,
      database,
      service,
      exchange,
      sandbox,
      url: addresses.publicUrl,
      sandboxUrl: sandbox.url,
      close: () => unwind(undo),
    };
  } catch (error) {
    await unwind(undo);
    throw error;
  }
}

async function unwind(steps: readonly (() => unknown)[]): Promise<void> {
  for (const step of steps) await step();
}
