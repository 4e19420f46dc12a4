import { formatDollars, fromDecimalString } from "@farline/domain/money.ts";
import { randomBytes } from "node:crypto";
import type { Telnyx } from "telnyx";
import type {
  CredentialConnection,
  CredentialConnectionUpdateParams,
  CredentialOutbound,
} from "telnyx/resources/credential-connections/credential-connections.js";
import type { OutboundVoiceProfile, OutboundVoiceProfileUpdateParams } from "telnyx/resources/outbound-voice-profiles.js";
import { AppError } from "../../platform/app-error.ts";
import { findNumber } from "./read-account.ts";
import type { AccountRequirements } from "./account-requirements.ts";

const DEFAULT_DAILY_LIMIT = "200.00";
/** Retrying a create after a time-out could create a duplicate. The next run finds the first one. */
const NO_RETRIES = { maxRetries: 0 };
const PASSWORD_BYTES = 32;
const USER_NAME_BYTES = 6;
/** Outbound settings of a connection that must survive an update. */
const PRESERVED_SETTINGS = [
  "channel_limit",
  "generate_ringback_tone",
  "instant_ringback_enabled",
  "localization",
  "t38_reinvite_source",
] as const;

interface SetUpOptions {
  /** Name of the profile and the connection. */
  readonly name: string;
  /** Dollars with two decimals; null keeps the current limit. */
  readonly dailyLimit: string | null;
  readonly dryRun: boolean;
}

/** The changes made, or in a dry run to be made, one sentence each. */
export interface SetUpReport {
  readonly changes: readonly string[];
  readonly notes: readonly string[];
  /** Null if a dry run would create it. */
  readonly connectionId: string | null;
}

interface SetUpRun {
  readonly telnyx: Telnyx;
  readonly required: AccountRequirements;
  readonly options: SetUpOptions;
  readonly changes: string[];
  readonly notes: string[];
}

/**
 * Creates or repairs the profile, the connection and the caller number's binding. Idempotent: each step compares before it writes, so
 * the next run completes one that failed halfway. Deletes nothing, and changes only the configured connection and objects with the
 * given name.
 * @throws AppError not_found if the configured connection does not exist; APIError from the provider
 */
export async function setUpAccount(telnyx: Telnyx, required: AccountRequirements, options: SetUpOptions): Promise<SetUpReport> {
  const run: SetUpRun = { telnyx, required, options, changes: [], notes: [] };
  const profileId = await setUpProfile(run);
  const connectionId = await setUpConnection(run, profileId);
  await bindNumber(run, connectionId);
  return { changes: run.changes, notes: run.notes, connectionId };
}

async function setUpProfile({ telnyx, required, options, changes }: SetUpRun): Promise<string | null> {
  const page = await telnyx.outboundVoiceProfiles.list({ filter: { name: { contains: options.name } }, "page[size]": 100 });
  const found = page.data.find(({ name }) => name === options.name);
  const change = profileChange(found ?? null, required, options);
  const { name, ...changed } = change;
  if (found !== undefined && Object.keys(changed).length === 0) return found.id ?? null;
  changes.push(`${found === undefined ? "Create" : "Change"} the outbound voice profile "${name}": ${describeChange(changed)}.`);
  if (options.dryRun) return found?.id ?? null;
  const { data } =
    found?.id === undefined
      ? await telnyx.outboundVoiceProfiles.create(change, NO_RETRIES)
      : await telnyx.outboundVoiceProfiles.update(found.id, change);
  return data?.id ?? null;
}

/** The fields to set. Additional countries that the operator allowed stay allowed. */
function profileChange(
  now: OutboundVoiceProfile | null,
  { countries, highestCostMicros }: AccountRequirements,
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

async function setUpConnection(
  { telnyx, required, options, changes }: SetUpRun,
  profileId: string | null,
): Promise<string | null> {
  const found = await findConnection(telnyx, required, options);
  const change = connectionChange(found, required, profileId);
  if (found !== null && Object.keys(change).length === 0) return found.id ?? null;
  const name = found?.connection_name ?? options.name;
  changes.push(`${found === null ? "Create" : "Change"} the connection "${name}": ${describeChange(change)}.`);
  if (options.dryRun) return found?.id ?? null;
  if (found?.id !== undefined) return (await telnyx.credentialConnections.update(found.id, change)).data?.id ?? found.id;
  // Required by the API but unused: browsers get tokens of separate credentials.
  const user_name = `farline${randomBytes(USER_NAME_BYTES).toString("hex")}`;
  const password = randomBytes(PASSWORD_BYTES).toString("base64url");
  const { data } = await telnyx.credentialConnections.create(
    { ...change, connection_name: name, user_name, password },
    NO_RETRIES,
  );
  return data?.id ?? null;
}

async function findConnection(
  telnyx: Telnyx,
  required: AccountRequirements,
  options: SetUpOptions,
): Promise<CredentialConnection | null> {
  if (required.connectionId === null) {
    const filter = { connection_name: { contains: options.name } };
    const page = await telnyx.credentialConnections.list({ filter, "page[size]": 100 });
    return page.data.find(({ connection_name: name }) => name === options.name) ?? null;
  }
  const { data } = await telnyx.credentialConnections.retrieve(required.connectionId);
  if (data === undefined)
    throw new AppError("not_found", { reason: "operator.no_connection", params: { connection: required.connectionId } });
  return data;
}

function connectionChange(
  now: CredentialConnection | null,
  { webhookUrl, callerNumber }: AccountRequirements,
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
  return { ...Object.fromEntries(changed), ...(same ? {} : { outbound: { ...preservedSettings(now?.outbound), ...outbound } }) };
}

/** Telnyx does not document whether a partial nested update keeps the other fields, so they are sent along. */
function preservedSettings(outbound: CredentialOutbound | undefined): CredentialOutbound {
  const kept = PRESERVED_SETTINGS.map((key) => [key, outbound?.[key]]).filter(
    ([, value]) => value !== undefined && value !== null && value !== "",
  );
  return Object.fromEntries(kept) as CredentialOutbound;
}

async function bindNumber({ telnyx, required, options, changes, notes }: SetUpRun, connectionId: string | null): Promise<void> {
  const { callerNumber } = required;
  if (callerNumber === null)
    return void notes.push("CALLER_NUMBER is not set, so no number is bound: set it and run this again.");
  const number = await findNumber(telnyx, callerNumber);
  if (number === null) return void notes.push(`The account does not own ${callerNumber}: buy or port it, then run this again.`);
  const bound = number.connection_id || null;
  if (bound !== null && bound === connectionId) return;
  if (bound !== null)
    return void notes.push(`${callerNumber} is bound to connection ${bound} and was left there; calls can still show it.`);
  changes.push(`Bind ${callerNumber} to the connection.`);
  if (options.dryRun || connectionId === null) return;
  await telnyx.phoneNumbers.update(number.id, { connection_id: connectionId });
}

function describeChange(change: object): string {
  return Object.entries(change)
    .map(([key, value]) => `${key} ${Array.isArray(value) ? `${value.length} countries` : describeValue(value)}`)
    .join(", ");
}

function describeValue(value: unknown): string {
  return typeof value === "object" && value !== null ? `(${describeChange(value)})` : String(value);
}

function isSame(a: string | undefined, b: string): boolean {
  return a !== undefined && fromDecimalString(a) === fromDecimalString(b);
}

function isBelow(dollars: number, micros: bigint): boolean {
  return fromDecimalString(dollars.toFixed(6)) < micros;
}
