import { formatDollars, fromDecimalString } from "@farline/domain/money.ts";
import type { Account, AccountDetails } from "./read-account.ts";
import type { AccountRequirements } from "./account-requirements.ts";

/** `failure`: calls do not work, or not correctly. */
export interface Finding {
  readonly level: "ok" | "warning" | "failure";
  /** One sentence, with the remedy for a warning or failure. */
  readonly text: string;
}

const LOW_CREDIT_MICROS = 20_000_000n;
const PUBLIC_KEY_BYTES = 32;
/** Countries listed in a sentence. */
const MAX_NAMED = 40;
const RUN_SETUP = "run `telnyx setup`";

const ok = (text: string): Finding => ({ level: "ok", text });
const warning = (text: string): Finding => ({ level: "warning", text });
const failure = (text: string): Finding => ({ level: "failure", text });

/** Compares the account at the provider with the service's requirements. */
export function judgeAccount(account: Account, required: AccountRequirements): Finding[] {
  const { connection, details } = account;
  return [
    ok("The API key works."),
    judgeKeys(required.publicKeys),
    ...(connection === null
      ? [
          failure(
            `There is no connection ${required.connectionId ?? "set"}: ${RUN_SETUP} and set TELNYX_CONNECTION_ID to the id it prints.`,
          ),
        ]
      : judgeConnection(connection, required, details === null)),
    ...(details === null ? [] : judgeDetails(details, required, connection !== null)),
  ];
}

function judgeKeys(publicKeys: readonly string[]): Finding {
  const isKey = (text: string): boolean => {
    const bytes = Buffer.from(text, "base64");
    return bytes.length === PUBLIC_KEY_BYTES && bytes.toString("base64") === text;
  };
  if (publicKeys.every(isKey)) return ok("TELNYX_PUBLIC_KEY is valid.");
  return failure("TELNYX_PUBLIC_KEY is not 32 bytes in base64: copy the public key from the portal's page of API keys.");
}

/** @param isOurs whether the provider is our own exchange */
function judgeConnection(
  connection: NonNullable<Account["connection"]>,
  required: AccountRequirements,
  isOurs: boolean,
): Finding[] {
  const { active, outbound, webhook_api_version: version, call_cost_in_webhooks: cost } = connection;
  return [
    active === false ? failure(`The connection is not active: ${RUN_SETUP}.`) : ok("The connection is active."),
    outbound?.call_parking_enabled === true
      ? ok("The connection parks calls.")
      : failure(`The connection does not park calls, so no browser gets a token: ${RUN_SETUP}.`),
    judgeWebhooks(connection.webhook_event_url ?? "", required.webhookUrl, isOurs),
    version === "2" ? ok("Its webhooks are version 2.") : failure(`Its webhooks are not version 2: ${RUN_SETUP}.`),
    cost === true ? ok("Its webhooks report costs.") : warning(`Its webhooks do not report costs: ${RUN_SETUP}.`),
  ];
}

function judgeWebhooks(url: string, requiredUrl: string, isOurs: boolean): Finding {
  // Our own exchange may deliver over a private network, to an internal address.
  if (url === requiredUrl || (isOurs && URL.parse(url)?.pathname === new URL(requiredUrl).pathname))
    return ok("Its webhooks go to this service.");
  const remedy = isOurs ? "correct the exchange's WEBHOOK_URL" : `correct PUBLIC_URL, or ${RUN_SETUP}`;
  return failure(`Its webhooks go to ${url || "nowhere"} instead of ${requiredUrl}: ${remedy}.`);
}

function judgeDetails(
  { availableCredit, profile, number }: AccountDetails,
  required: AccountRequirements,
  hasConnection: boolean,
): Finding[] {
  const findings = [judgeCredit(availableCredit)];
  if (profile !== null) findings.push(...judgeProfile(profile, required));
  else if (hasConnection)
    findings.push(failure(`The connection has no outbound voice profile, so no number can be called: ${RUN_SETUP}.`));
  if (required.callerNumber === null) findings.push(failure("CALLER_NUMBER is not set: set it to a number of the account."));
  else if (number === null)
    findings.push(
      failure(
        `The account does not own ${required.callerNumber}: buy or port it, or set CALLER_NUMBER to a number that it owns.`,
      ),
    );
  else if (number.status !== "active")
    findings.push(failure(`The caller number is not active yet (${number.status}): check it in the portal.`));
  else findings.push(ok("The account owns the caller number."));
  return findings;
}

function judgeCredit(available: string | null): Finding {
  const micros = available === null ? null : microsOf(available);
  if (micros === null) return warning("The account's credit is unknown: check it in the portal.");
  const amount = micros < 0n ? `-$${formatDollars(-micros)}` : `$${formatDollars(micros)}`;
  if (micros <= 0n) return failure(`The account has no credit (${amount}), so every call fails: top it up.`);
  if (micros < LOW_CREDIT_MICROS)
    return warning(`The account's credit is low (${amount}): top it up, or switch on automatic recharging.`);
  return ok(`The account has ${amount}.`);
}

function judgeProfile(profile: NonNullable<AccountDetails["profile"]>, required: AccountRequirements): Finding[] {
  const allowed = new Set(profile.whitelisted_destinations);
  const missing = required.countries.filter((country) => !allowed.has(country));
  const rest = missing.length > MAX_NAMED ? ` and ${missing.length - MAX_NAMED} more` : "";
  const named = `${missing.slice(0, MAX_NAMED).join(", ")}${rest}`;
  const limited = profile.daily_spend_limit_enabled === true && microsOf(profile.daily_spend_limit ?? "") !== null;
  return [
    profile.enabled === false
      ? failure(`The outbound voice profile is switched off: ${RUN_SETUP}.`)
      : ok("The outbound voice profile is on."),
    missing.length === 0
      ? ok(`It allows the ${required.countries.length} countries on sale.`)
      : failure(`It refuses calls to countries on sale (${named}): ${RUN_SETUP}.`),
    limited
      ? ok(`It spends at most $${profile.daily_spend_limit} a day.`)
      : warning(`It has no daily limit, so fraud could cost any amount: ${RUN_SETUP} --daily-limit.`),
    ...judgeRate(profile.max_destination_rate, required.highestCostMicros),
  ];
}

function judgeRate(maxRate: number | null | undefined, highestCostMicros: bigint): Finding[] {
  const micros = maxRate === null || maxRate === undefined ? null : microsOf(String(maxRate));
  if (micros === null) return [];
  if (micros >= highestCostMicros) return [ok("Its highest price per minute covers all destinations on sale.")];
  const cost = formatDollars(highestCostMicros, 4);
  return [failure(`It refuses calls above $${maxRate} a minute, but some destinations on sale cost $${cost}: ${RUN_SETUP}.`)];
}

function microsOf(dollars: string): bigint | null {
  try {
    return fromDecimalString(dollars);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
