import { formatDollars, fromDecimalString } from "@farline/domain/money.ts";
import { randomBytes } from "node:crypto";
import type { Telnyx } from "telnyx";
import type {
  CredentialConnection,
  CredentialConnectionUpdateParams,
  CredentialOutbound,
} from "telnyx/resources/credential-connections/credential-connections.js";
import type { OutboundVoiceProfile, OutboundVoiceProfileUpdateParams } from "telnyx/resources/outbound-voice-profiles.js";
import { AppError } from "../../platform/http/app-error.ts";
import { findNumber } from "./read-account.ts";
import type { WantedAccount } from "./wanted-account.ts";

const DEFAULT_DAILY_LIMIT = "200.00";
/** A create that is repeated after a time-out could make two; the next run finds the first. */
const ONCE = { maxRetries: 0 };
const PASSWORD_BYTES = 32;
const USER_NAME_BYTES = 6;
/** The settings of a connection's calls that are kept as they are. */
const KEPT = [
  "channel_limit",
  "generate_ringback_tone",
  "instant_ringback_enabled",
  "localization",
  "t38_reinvite_source",
] as const;

interface SetUpOptions {
  /** Of profile and connection. */
  readonly name: string;
  /** Dollars with two decimals; null keeps what is set. */
  readonly dailyLimit: string | null;
  readonly dryRun: boolean;
}

/** What was done, or in a dry run would be, one sentence each. */
export interface SetUpReport {
  readonly changes: readonly string[];
  readonly notes: readonly string[];
  /** Null in a dry run that would create it. */
  readonly connectionId: string | null;
}

interface Step {
  readonly telnyx: Telnyx;
  readonly wanted: WantedAccount;
  readonly options: SetUpOptions;
  readonly changes: string[];
  readonly notes: string[];
}

/**
 * Creates or repairs the profile, the connection and the binding of the caller number that calls need. Each step compares first, so a
 * second run changes nothing, and a run that failed halfway is completed by the next. Deletes nothing, and touches only what has the
 * given name or is configured.
 * @throws AppError not_found if the configured connection does not exist; APIError from the provider
 */
export async function setUpAccount(telnyx: Telnyx, wanted: WantedAccount, options: SetUpOptions): Promise<SetUpReport> {
  const step: Step = { telnyx, wanted, options, changes: [], notes: [] };
  const profileId = await setUpProfile(step);
  const connectionId = await setUpConnection(step, profileId);
  await bindNumber(step, connectionId);
  return { changes: step.changes, notes: step.notes, connectionId };
}

async function setUpProfile({ telnyx, wanted, options, changes }: Step): Promise<string | null> {
  const page = await telnyx.outboundVoiceProfiles.list({ filter: { name: { contains: options.name } }, "page[size]": 100 });
  const found = page.data.find(({ name }) => name === options.name);
  const change = profileChange(found ?? null, wanted, options);
  const { name, ...changed } = change;
  if (found !== undefined && Object.keys(changed).length === 0) return found.id ?? null;
  changes.push(`${found === undefined ? "Create" : "Change"} the outbound voice profile "${name}": ${described(changed)}.`);
  if (options.dryRun) return found?.id ?? null;
  const { data } =
    found?.id === undefined
      ? await telnyx.outboundVoiceProfiles.create(change, ONCE)
      : await telnyx.outboundVoiceProfiles.update(found.id, change);
  return data?.id ?? null;
}

/** The fields to set. Further countries that the operator allowed stay allowed. */
function profileChange(
  now: OutboundVoiceProfile | null,
  { countries, highestCostMicros }: WantedAccount,
  { name, dailyLimit }: SetUpOptions,
): OutboundVoiceProfileUpdateParams {
  const allowed = now?.whitelisted_destinations ?? [];
  const missing = countries.filter((country) => !allowed.includes(country));
  const limited = now?.daily_spend_limit_enabled === true;
  const limit = dailyLimit ?? (limited ? null : DEFAULT_DAILY_LIMIT);
  const sameLimit = limit === null || (limited && isSame(now.daily_spend_limit, limit));
  const tooLow = typeof now?.max_destination_rate === "number" && isBelow(now.max_destination_rate, highestCostMicros);
  return {
    name,
    ...(now === null ? { traffic_type: "conversational", service_plan: "global", usage_payment_method: "rate-deck" } : {}),
    ...(now?.enabled === true ? {} : { enabled: true }),
    ...(missing.length === 0 ? {} : { whitelisted_destinations: [...allowed, ...missing].toSorted() }),
    ...(sameLimit ? {} : { daily_spend_limit_enabled: true, daily_spend_limit: limit }),
    // oxlint-disable-next-line farline/no-float-money -- the provider takes a number here
    ...(tooLow ? { max_destination_rate: Number(formatDollars(highestCostMicros, 6)) } : {}),
  };
}

async function setUpConnection({ telnyx, wanted, options, changes }: Step, profileId: string | null): Promise<string | null> {
  const found = await findConnection(telnyx, wanted, options);
  const change = connectionChange(found, wanted, profileId);
  if (found !== null && Object.keys(change).length === 0) return found.id ?? null;
  const name = found?.connection_name ?? options.name;
  changes.push(`${found === null ? "Create" : "Change"} the connection "${name}": ${described(change)}.`);
  if (options.dryRun) return found?.id ?? null;
  if (found?.id !== undefined) return (await telnyx.credentialConnections.update(found.id, change)).data?.id ?? found.id;
  // Nobody signs in with them: browsers get tokens of credentials of their own.
  const user_name = `farline${randomBytes(USER_NAME_BYTES).toString("hex")}`;
  const password = randomBytes(PASSWORD_BYTES).toString("base64url");
  const { data } = await telnyx.credentialConnections.create({ ...change, connection_name: name, user_name, password }, ONCE);
  return data?.id ?? null;
}

async function findConnection(
  telnyx: Telnyx,
  wanted: WantedAccount,
  options: SetUpOptions,
): Promise<CredentialConnection | null> {
  if (wanted.connectionId === null) {
    const filter = { connection_name: { contains: options.name } };
    const page = await telnyx.credentialConnections.list({ filter, "page[size]": 100 });
    return page.data.find(({ connection_name: name }) => name === options.name) ?? null;
  }
  const { data } = await telnyx.credentialConnections.retrieve(wanted.connectionId);
  if (data === undefined)
    throw new AppError("not_found", { reason: "operator.no_connection", params: { connection: wanted.connectionId } });
  return data;
}

function connectionChange(
  now: CredentialConnection | null,
  { webhookUrl, callerNumber }: WantedAccount,
  profileId: string | null,
): CredentialConnectionUpdateParams {
  const top: CredentialConnectionUpdateParams = {
    active: true,
    webhook_event_url: webhookUrl,
    webhook_api_version: "2",
    call_cost_in_webhooks: true,
    sip_uri_calling_preference: "disabled",
  };
  const outbound: CredentialOutbound = {
    call_parking_enabled: true,
    ...(profileId === null ? {} : { outbound_voice_profile_id: profileId }),
    ...(callerNumber === null ? {} : { ani_override: callerNumber, ani_override_type: "always" }),
  };
  const changed = Object.entries(top).filter(([key, value]) => now?.[key as keyof CredentialConnection] !== value);
  const same = Object.entries(outbound).every(([key, value]) => now?.outbound?.[key as keyof CredentialOutbound] === value);
  return { ...Object.fromEntries(changed), ...(same ? {} : { outbound: { ...keptOf(now?.outbound), ...outbound } }) };
}

/** It is not documented whether a nested change leaves the rest alone, so the rest is sent along. */
function keptOf(outbound: CredentialOutbound | undefined): CredentialOutbound {
  const kept = KEPT.map((key) => [key, outbound?.[key]]).filter(
    ([, value]) => value !== undefined && value !== null && value !== "",
  );
  return Object.fromEntries(kept) as CredentialOutbound;
}

async function bindNumber({ telnyx, wanted, options, changes, notes }: Step, connectionId: string | null): Promise<void> {
  const { callerNumber } = wanted;
  if (callerNumber === null)
    return void notes.push("CALLER_NUMBER is not set, so no number is bound: set it and run this again.");
  const number = await findNumber(telnyx, callerNumber);
  if (number === null) return void notes.push(`The account does not own ${callerNumber}: buy or port it, then run this again.`);
  const bound = number.connection_id || null;
  if (bound !== null && bound === connectionId) return;
  if (bound !== null)
    return void notes.push(`${callerNumber} is bound to connection ${bound}, which is left so: calls may still show it.`);
  changes.push(`Bind ${callerNumber} to the connection.`);
  if (options.dryRun || connectionId === null) return;
  await telnyx.phoneNumbers.update(number.id, { connection_id: connectionId });
}

function described(change: object): string {
  return Object.entries(change)
    .map(([key, value]) => `${key} ${Array.isArray(value) ? `${value.length} countries` : describedValue(value)}`)
    .join(", ");
}

function describedValue(value: unknown): string {
  return typeof value === "object" && value !== null ? `(${described(value)})` : String(value);
}

function isSame(a: string | undefined, b: string): boolean {
  return a !== undefined && fromDecimalString(a) === fromDecimalString(b);
}

function isBelow(dollars: number, micros: bigint): boolean {
  return fromDecimalString(dollars.toFixed(6)) < micros;
}
