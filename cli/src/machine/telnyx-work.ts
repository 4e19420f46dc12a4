import { readKeyList } from "@farline/contract/settings/setting.ts";
import { printableLine } from "@farline/domain/text/clean-text.ts";
import {
  type AccountRequirements,
  checkAccount,
  createTelnyx,
  readSoldDestinations,
  setUpAccount,
  type SetUpReport,
  webhookUrlOf,
} from "@farline/server/calls/calls.ts";
import { readAddresses } from "../start/settings.ts";
import { CommandError, EXIT, print, show } from "../command.ts";
import { withContext } from "./own-context.ts";

type Env = Readonly<Record<string, string | undefined>>;

const DAILY_LIMIT = /^\d{1,7}(\.\d{2})?$/;
const MARKS = { ok: "ok", warning: "WARNING", failure: "FAILURE" } as const;

export interface SetUpOptions {
  readonly dryRun?: boolean;
  readonly dailyLimit?: string;
  readonly name: string;
}

/** Checks the account, and prints what to fix. */
export async function checkTelnyx(env: Env): Promise<void> {
  const findings = await checkAccount(clientOf(env), await requirementsOf(env));
  show(
    { findings },
    findings.map(({ level, text }) => `${MARKS[level]}: ${printableLine(text)}`),
  );
  if (findings.some(({ level }) => level === "failure")) process.exitCode = EXIT.faults;
}

/** Creates or repairs profile, connection, webhook and number binding. */
export async function setUpTelnyx(env: Env, options: SetUpOptions): Promise<void> {
  const { dailyLimit, name, dryRun = false } = options;
  if (dailyLimit !== undefined && !DAILY_LIMIT.test(dailyLimit))
    throw new CommandError("--daily-limit is an amount in dollars, for example 200 or 200.00.");
  const limit = dailyLimit === undefined || dailyLimit.includes(".") ? (dailyLimit ?? null) : `${dailyLimit}.00`;
  const required = await requirementsOf(env);
  if (required.countries.length === 0)
    throw new CommandError("No deck is active, so no country is sold: import the carrier's list first (docs/operate/decks.md).");
  printReport(await setUpAccount(clientOf(env), required, { name, dailyLimit: limit, dryRun }), required, dryRun);
}

function printReport(
  { changes, notes, connectionId }: SetUpReport,
  { callerNumber }: AccountRequirements,
  dryRun: boolean,
): void {
  for (const one of changes) print(`${dryRun ? "Would do" : "Done"}: ${printableLine(one)}`);
  if (changes.length === 0) print("Nothing had to change.");
  for (const note of notes) print(`NOTE: ${printableLine(note)}`);
  print("No Call Control application is needed: the service starts no calls, it transfers those of browsers.");
  if (connectionId === null) return;
  print("Set for the service:");
  print(`  TELNYX_CONNECTION_ID=${printableLine(connectionId)}`);
  if (callerNumber !== null) print(`  CALLER_NUMBER=${callerNumber}`);
}

function clientOf(env: Env): ReturnType<typeof createTelnyx> {
  const apiKey = env["TELNYX_API_KEY"];
  if (!apiKey)
    throw new CommandError("TELNYX_API_KEY is not set: make a key in Telnyx's portal, and set it here and for the service.");
  const telnyx = { apiKeys: readKeyList(apiKey, String), apiBase: env["TELNYX_API_BASE"] || null };
  return createTelnyx({ telnyx });
}

async function requirementsOf(env: Env): Promise<AccountRequirements> {
  const sold = await withContext(env, ({ handle, clock, config }) =>
    readSoldDestinations(handle.db, clock.now(), config.mode === "sandbox"),
  );
  return {
    connectionId: env["TELNYX_CONNECTION_ID"] || null,
    publicKeys: (env["TELNYX_PUBLIC_KEY"] || "").split(","),
    webhookUrl: webhookUrlOf(readAddresses(env).publicUrl),
    callerNumber: env["CALLER_NUMBER"] || null,
    ...sold,
  };
}
