import { dirname } from "node:path";
import type { Config } from "@farline/server/platform/settings/config.ts";
import type { ExchangeConfig } from "@farline/voice/config.ts";
import { type DatabaseState, examineDatabase } from "@farline/server/platform/database/examine-database.ts";
import { checkAddresses, checkPublicUrl, checkVoiceSocket } from "./checks/check-addresses.ts";
import { checkCertificateFiles, checkShownCertificate } from "./checks/check-certificates.ts";
import { checkDisk, checkKernel, kernelSettings } from "./checks/check-machine.ts";
import { checkRelays, checkRtpengines } from "./checks/check-media.ts";
import { checkExchangePorts, checkPortRanges } from "./checks/check-ports.ts";
import { checkMail, checkService, checkStripe, checkVoiceProvider } from "./checks/check-providers.ts";
import { checkTrunks } from "./checks/check-trunks.ts";
import { examineSettings, type Program } from "./examine-settings.ts";
import { type Check, fault, type Finding, ok, reasonOf, runChecks, warning } from "./findings.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** Links and tokens expire by both clocks, so they must agree. */
const MAX_SKEW_MS = 2_000;

const LOSES_COMMITS =
  "synchronous_commit is off: a crash of the database loses payments and charges of its last moments. Reset it for the role, the database and the server.";

/** Tests an installation's settings and everything they refer to. Changes nothing. */
export async function diagnose(env: Env, program: Program | null): Promise<Finding[]> {
  const { service, exchange, dataDirectory, findings } = examineSettings(env, program);
  const folders = [dataDirectory, exchange?.journal ? dirname(exchange.journal) : null].filter((folder) => folder !== null);
  const checks = [
    ...(service === null ? [] : serviceChecks(service, exchange)),
    ...(exchange === null ? [] : exchangeChecks(exchange, service)),
    { of: "the disk", run: () => checkDisk([...new Set(folders)]) },
  ];
  return [...findings, ...(await runChecks(checks))];
}

function serviceChecks(service: Config, exchange: ExchangeConfig | null): Check[] {
  const { publicUrl, databaseUrl, telnyx, mail } = service;
  const { wsUrl } = telnyx;
  return [
    { of: "the database", run: () => checkDatabase(databaseUrl) },
    { of: "PUBLIC_URL", run: () => checkPublicUrl(publicUrl) },
    { of: "the certificate of PUBLIC_URL", run: () => checkShownCertificate("PUBLIC_URL", publicUrl) },
    ...(wsUrl === null
      ? []
      : [
          { of: "VOICE_WS_URL", run: () => checkVoiceSocket(wsUrl, publicUrl) },
          { of: "the certificate of VOICE_WS_URL", run: () => checkShownCertificate("VOICE_WS_URL", wsUrl) },
        ]),
    { of: "the voice provider", run: () => checkVoiceProvider(telnyx) },
    // With Telnyx, browsers use Telnyx's own relays.
    ...(wsUrl === null ? [] : [{ of: "the relays", run: () => checkRelays(telnyx.turn, audioAddress(exchange)) }]),
    { of: "the payment provider", run: () => checkStripe(service) },
    { of: "the mail server", run: () => checkMail(mail) },
    { of: "the running service", run: () => checkService(service) },
  ];
}

/** Where callers send audio; null with rtpengine, whose address is not in the exchange's settings. */
function audioAddress(exchange: ExchangeConfig | null): string | null {
  return exchange === null || exchange.rtpengines.length > 0 ? null : exchange.mediaAddress.announced;
}

function exchangeChecks(exchange: ExchangeConfig, service: Config | null): Check[] {
  const kernel = kernelSettings();
  const publicUrl = service?.publicUrl ?? exchange.allowedOrigins[0] ?? null;
  return [
    { of: "the exchange's ports", run: () => checkExchangePorts(exchange) },
    { of: "the exchange's addresses", run: () => checkAddresses(exchange, publicUrl) },
    { of: "the port ranges", run: async () => checkPortRanges(exchange, kernel) },
    { of: "rtpengine", run: () => checkRtpengines(exchange) },
    { of: "the trunks", run: () => checkTrunks(exchange) },
    { of: "the certificates", run: async () => checkCertificateFiles(exchange) },
    { of: "the kernel", run: async () => [checkKernel(kernel)] },
  ];
}

/** Whether the database answers, has this version's schema, agrees with this machine's clock, and keeps and finds what it is given. */
export async function checkDatabase(databaseUrl: string): Promise<Finding[]> {
  let state: DatabaseState;
  try {
    state = await examineDatabase(databaseUrl);
  } catch (error) {
    return [fault(`The database does not answer: ${reasonOf(error)}.`)];
  }
  return [
    checkSchema(state),
    checkClock(state.clockSkewMs),
    ...(state.unfit === null ? [] : [fault(`The service refuses this database. ${state.unfit}`)]),
    ...(state.losesCommits ? [fault(LOSES_COMMITS)] : []),
    ...(state.transactionTimeoutMs === null ? [] : [warning(transactionsEnd(state.transactionTimeoutMs))]),
    ...checkCollations(state),
    ...(state.invalidIndexes.length === 0
      ? []
      : [fault(`Building these indexes failed: ${state.invalidIndexes.join(", ")}. Run REINDEX INDEX CONCURRENTLY for each.`)]),
  ];
}

function transactionsEnd(timeoutMs: number): string {
  return `transaction_timeout ends every transaction after ${timeoutMs / 1000} seconds. Migrations, reports and erasures that take longer never finish: set it to 0 for the role.`;
}

/** Text is found by its order, so an index in yesterday's order can miss rows and let duplicates in. */
function checkCollations({ collation, staleIndexes }: DatabaseState): Finding[] {
  if (collation === null && staleIndexes.length === 0) return [];
  const versions = collation === null ? "" : ` (version ${collation.recorded} is recorded, ${collation.actual} is installed)`;
  const which = staleIndexes.length === 0 ? "" : ` These indexes may miss rows: ${staleIndexes.join(", ")}.`;
  const todo =
    "Run REINDEX DATABASE CONCURRENTLY, then ALTER DATABASE … REFRESH COLLATION VERSION and, for collations of their own, ALTER COLLATION … REFRESH VERSION.";
  return [fault(`The order of text has changed since indexes were built${versions}.${which} ${todo}`)];
}

function checkSchema({ applied, newest }: { applied: number; newest: number }): Finding {
  if (applied === newest) return ok(`The database answers and has all migrations (${applied}).`);
  if (applied > newest)
    return warning(`The database has migration ${applied}, this version only ${newest}: a newer release runs on it.`);
  return fault(`The database has migration ${applied}, this version needs ${newest}: the service applies them when it starts.`);
}

function checkClock(skewMs: number): Finding {
  if (Math.abs(skewMs) <= MAX_SKEW_MS) return ok("This machine and the database have the same time.");
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  return fault(
    `This machine's clock is ${seconds} seconds ${skewMs > 0 ? "ahead of" : "behind"} the database's: run a time service on both.`,
  );
}
