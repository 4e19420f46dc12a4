import { dirname } from "node:path";
import type { Config } from "@farline/server/platform/settings/config.ts";
import type { ExchangeConfig } from "@farline/voice/config.ts";
import { checkAddresses, checkPublicUrl, checkVoiceSocket } from "./checks/check-addresses.ts";
import { checkDatabase } from "./checks/check-database.ts";
import { checkDisk, checkKernel, kernelSettings } from "./checks/check-machine.ts";
import { checkRelays, checkRtpengines } from "./checks/check-media.ts";
import { checkExchangePorts, checkPortRanges } from "./checks/check-ports.ts";
import { checkMail, checkStripe, checkVoiceProvider } from "./checks/check-providers.ts";
import { checkTrunks } from "./checks/check-trunks.ts";
import { examineSettings, type Program } from "./examine-settings.ts";
import { type Check, type Finding, runChecks } from "./findings.ts";

type Env = Readonly<Record<string, string | undefined>>;

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
    ...(wsUrl === null ? [] : [{ of: "VOICE_WS_URL", run: () => checkVoiceSocket(wsUrl, publicUrl) }]),
    { of: "the voice provider", run: () => checkVoiceProvider(telnyx) },
    // With Telnyx, browsers use Telnyx's own relays.
    ...(wsUrl === null ? [] : [{ of: "the relays", run: () => checkRelays(telnyx.turn, audioAddress(exchange)) }]),
    { of: "the payment provider", run: () => checkStripe(service) },
    { of: "the mail server", run: () => checkMail(mail) },
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
    { of: "the kernel", run: async () => [checkKernel(kernel)] },
  ];
}
