import { formatDollars, fromDecimalString } from "@farline/domain/money.ts";
import type { Account, AccountRest } from "./read-account.ts";
import type { WantedAccount } from "./wanted-account.ts";

/** `failure`: calls do not work, or not as they must. */
export interface Finding {
  readonly level: "ok" | "warning" | "failure";
  /** One sentence; a bad one says what to do. */
  readonly text: string;
}

const LOW_CREDIT_MICROS = 20_000_000n;
const PUBLIC_KEY_BYTES = 32;
/** Countries named in one sentence. */
const MAX_NAMED = 40;
const SET_UP = "run `telnyx setup`";

const ok = (text: string): Finding => ({ level: "ok", text });
const warning = (text: string): Finding => ({ level: "warning", text });
const failure = (text: string): Finding => ({ level: "failure", text });

/** Compares the account at the provider with what the service needs. */
export function judgeAccount(account: Account, wanted: WantedAccount): Finding[] {
  const { connection, rest } = account;
  return [
    ok("The API key works."),
    judgeKey(wanted.publicKey),
    ...(connection === null
      ? [
          failure(
            `There is no connection ${wanted.connectionId ?? "set"}: ${SET_UP} and set TELNYX_CONNECTION_ID to the id it prints.`,
          ),
        ]
      : judgeConnection(connection, wanted, rest === null)),
    ...(rest === null ? [] : judgeRest(rest, wanted, connection !== null)),
  ];
}

function judgeKey(publicKey: string | null): Finding {
  const bytes = Buffer.from(publicKey ?? "", "base64");
  const isKey = bytes.length === PUBLIC_KEY_BYTES && bytes.toString("base64") === publicKey;
  if (isKey) return ok("TELNYX_PUBLIC_KEY is a key.");
  return failure("TELNYX_PUBLIC_KEY is not 32 bytes in base64: copy the public key from the portal's page of API keys.");
}

/** @param isOurs whether the provider is our own exchange */
function judgeConnection(connection: NonNullable<Account["connection"]>, wanted: WantedAccount, isOurs: boolean): Finding[] {
  const { active, outbound, webhook_api_version: version, call_cost_in_webhooks: cost } = connection;
  return [
    active === false ? failure(`The connection is not active: ${SET_UP}.`) : ok("The connection is active."),
    outbound?.call_parking_enabled === true
      ? ok("The connection parks calls.")
      : failure(`The connection does not park calls, so no browser gets a token: ${SET_UP}.`),
    judgeWebhooks(connection.webhook_event_url ?? "", wanted.webhookUrl, isOurs),
    version === "2" ? ok("Its webhooks have version 2.") : failure(`Its webhooks do not have version 2: ${SET_UP}.`),
    cost === true ? ok("Its webhooks tell costs.") : warning(`Its webhooks do not tell what calls cost: ${SET_UP}.`),
  ];
}

function judgeWebhooks(url: string, wantedUrl: string, isOurs: boolean): Finding {
  // Our own exchange may deliver over a private network, by an address that nobody else knows.
  if (url === wantedUrl || (isOurs && URL.parse(url)?.pathname === new URL(wantedUrl).pathname))
    return ok("Its webhooks lead here.");
  const mend = isOurs ? "correct the exchange's WEBHOOK_URL" : `correct PUBLIC_URL, or ${SET_UP}`;
  return failure(`Its webhooks lead to ${url || "nowhere"} instead of ${wantedUrl}: ${mend}.`);
}

function judgeRest({ availableCredit, profile, number }: AccountRest, wanted: WantedAccount, hasConnection: boolean): Finding[] {
  const findings = [judgeCredit(availableCredit)];
  if (profile !== null) findings.push(...judgeProfile(profile, wanted));
  else if (hasConnection)
    findings.push(failure(`The connection has no outbound voice profile, so no number can be called: ${SET_UP}.`));
  if (wanted.callerNumber === null) findings.push(failure("CALLER_NUMBER is not set: set it to a number of the account."));
  else if (number === null)
    findings.push(
      failure(`The account does not own ${wanted.callerNumber}: buy or port it, or set CALLER_NUMBER to a number that it owns.`),
    );
  else if (number.status !== "active")
    findings.push(failure(`The caller number is not active yet (${number.status}): look at it in the portal.`));
  else findings.push(ok("The account owns the caller number."));
  return findings;
}

function judgeCredit(available: string | null): Finding {
  const micros = available === null ? null : microsOf(available);
  if (micros === null) return warning("The account's credit is unknown: look at it in the portal.");
  const amount = micros < 0n ? `-$${formatDollars(-micros)}` : `$${formatDollars(micros)}`;
  if (micros <= 0n) return failure(`The account has no credit (${amount}), so every call fails: top it up.`);
  if (micros < LOW_CREDIT_MICROS)
    return warning(`The account's credit is low (${amount}): top it up, or let it recharge itself.`);
  return ok(`The account has ${amount}.`);
}

function judgeProfile(profile: NonNullable<AccountRest["profile"]>, wanted: WantedAccount): Finding[] {
  const allowed = new Set(profile.whitelisted_destinations);
  const missing = wanted.countries.filter((country) => !allowed.has(country));
  const rest = missing.length > MAX_NAMED ? ` and ${missing.length - MAX_NAMED} more` : "";
  const named = `${missing.slice(0, MAX_NAMED).join(", ")}${rest}`;
  const limited = profile.daily_spend_limit_enabled === true && microsOf(profile.daily_spend_limit ?? "") !== null;
  return [
    profile.enabled === false
      ? failure(`The outbound voice profile is switched off: ${SET_UP}.`)
      : ok("The outbound voice profile is on."),
    missing.length === 0
      ? ok(`It allows the ${wanted.countries.length} countries that are sold.`)
      : failure(`It refuses calls to countries that are sold (${named}): ${SET_UP}.`),
    limited
      ? ok(`It spends at most $${profile.daily_spend_limit} a day.`)
      : warning(`It has no daily limit, so a fraud may cost without bound: ${SET_UP} --daily-limit.`),
    ...judgeRate(profile.max_destination_rate, wanted.highestCostMicros),
  ];
}

function judgeRate(most: number | null | undefined, highestCostMicros: bigint): Finding[] {
  const micros = most === null || most === undefined ? null : microsOf(String(most));
  if (micros === null) return [];
  if (micros >= highestCostMicros) return [ok("Its highest price per minute covers all that is sold.")];
  const cost = formatDollars(highestCostMicros, 4);
  return [failure(`It refuses calls above $${most} a minute, and some that are sold cost $${cost}: ${SET_UP}.`)];
}

function microsOf(dollars: string): bigint | null {
  try {
    return fromDecimalString(dollars);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
