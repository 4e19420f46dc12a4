import { readyResponse } from "@farline/contract/operations.ts";
import { createStripe, HANDLED_EVENTS, missingPermission } from "@farline/server/billing/billing.ts";
import { failureCode, testMailServer } from "@farline/server/mail/mail-transport.ts";
import type { Config } from "@farline/server/platform/settings/config.ts";
import { localUrl } from "../../start/settings.ts";
import { fault, type Finding, ok, reasonOf, warning } from "../findings.ts";

const ANSWER_LIMIT_MS = 5_000;
/** Of a service that is not ready. */
const NOT_READY = 503;
const TELNYX = "https://api.telnyx.com/v2";

/** Whether the mail server answers and accepts our credentials. No mail is sent. */
export async function checkMail({ smtpUrl }: Config["mail"]): Promise<Finding[]> {
  if (smtpUrl === null) return [warning("SMTP_URL is not set: mails are kept for a day, then dropped.")];
  const { host } = new URL(smtpUrl);
  try {
    await testMailServer(smtpUrl);
    return [ok(`The mail server ${host} answers.`)];
  } catch (error) {
    return [fault(`The mail server ${host} cannot be used: ${failureCode(error)}.`)];
  }
}

/** Whether the voice provider, Telnyx or our exchange, accepts the service's key. */
export async function checkVoiceProvider({
  apiBase,
  apiKeys,
}: Pick<Config["telnyx"], "apiBase" | "apiKeys">): Promise<Finding[]> {
  const base = apiBase ?? TELNYX;
  try {
    const headers = { authorization: `Bearer ${apiKeys[0]}` };
    const answer = await fetch(`${base}/balance`, { headers, signal: AbortSignal.timeout(ANSWER_LIMIT_MS) });
    await answer.body?.cancel();
    if (answer.status === 200) return [ok(`The voice provider at ${base} accepts the service's key.`)];
    if (answer.status === 401) return [fault(`The voice provider at ${base} refuses TELNYX_API_KEY.`)];
    return [fault(`The voice provider at ${base} answered ${answer.status}.`)];
  } catch (error) {
    return [fault(`The voice provider at ${base} does not answer: ${reasonOf(error)}.`)];
  }
}

/** What the service on this machine says is wrong: the same list as the overview and the alerts. */
export async function checkService({
  host,
  port,
  metricsToken,
}: Pick<Config, "host" | "port" | "metricsToken">): Promise<Finding[]> {
  const url = `${localUrl(host, port)}/api/ready`;
  const headers = metricsToken === null ? {} : { authorization: `Bearer ${metricsToken}` };
  let answer: Response;
  try {
    answer = await fetch(url, { headers, signal: AbortSignal.timeout(ANSWER_LIMIT_MS) });
  } catch (error) {
    return [warning(`No service answers on this machine (${url}): ${reasonOf(error)}.`)];
  }
  const body: unknown = await answer.json();
  if (answer.status === NOT_READY) return [fault((body as { message?: string }).message ?? "The service is not ready.")];
  const { warnings } = readyResponse.parse(body);
  if (warnings.length === 0) return [ok("The running service says that nothing is wrong.")];
  return warnings.map(({ level, text, detail, since, runbook }) => {
    const said = `${text}${detail === null ? "" : ` ${detail}`} Since ${since}; see docs/runbooks/${runbook}.md.`;
    return level === "page" ? fault(said) : warning(said);
  });
}

type Stripe = ReturnType<typeof createStripe>;
type Charges = Awaited<ReturnType<Stripe["charges"]["list"]>>["data"];

/** Everything that the service reads at the payment provider, for a key that may do only some of it. */
const READS: readonly (readonly [what: string, read: (stripe: Stripe) => Promise<unknown>])[] = [
  ["customers", (stripe) => stripe.customers.list({ limit: 1 })],
  ["checkout sessions", (stripe) => stripe.checkout.sessions.list({ limit: 1 })],
  ["payment intents", (stripe) => stripe.paymentIntents.list({ limit: 1 })],
  ["refunds", (stripe) => stripe.refunds.list({ limit: 1 })],
  ["disputes", (stripe) => stripe.disputes.list({ limit: 1 })],
  ["fraud warnings", (stripe) => stripe.radar.earlyFraudWarnings.list({ limit: 1 })],
  ["balance transactions", (stripe) => stripe.balanceTransactions.list({ limit: 1 })],
  ["payouts", (stripe) => stripe.payouts.list({ limit: 1 })],
  ["events", (stripe) => stripe.events.list({ limit: 1 })],
];
/** These cannot be tried without changing something. */
const WRITES = "customers, checkout sessions, payment intents, payment methods and refunds";
const WEBHOOK = "/api/webhooks/stripe";
/** Enough to see whether the account has other business. */
const LATEST_CHARGES = 100;

/** Whether the payment provider accepts our key, and for everything that we read; and what is unusual about the account. */
export async function checkStripe(config: Pick<Config, "stripe" | "publicUrl" | "host" | "port">): Promise<Finding[]> {
  const stripe = createStripe(config);
  try {
    const charges = await tried("charges", () => stripe.charges.list({ limit: LATEST_CHARGES }));
    const reads = await Promise.all(READS.map(([what, read]) => tried(what, () => read(stripe))));
    const missing = [charges, ...reads].flatMap((one) => ("lacks" in one ? [lacking(one)] : []));
    return [
      ...(missing.length === 0 ? [ok("The payment provider accepts STRIPE_SECRET_KEY, for everything that is read.")] : missing),
      ...(config.stripe.secretKey.startsWith("rk_") ? [warning(untried())] : []),
      ...("answer" in charges ? shared(charges.answer.data, config.publicUrl) : []),
      ...(await settlement(stripe)),
      ...(await events(stripe, config)),
    ];
  } catch (error) {
    const { statusCode } = error as { statusCode?: number };
    if (statusCode === 401) return [fault("The payment provider refuses STRIPE_SECRET_KEY.")];
    return [fault(`The payment provider does not answer: ${reasonOf(error)}.`)];
  }
}

interface Lacking {
  readonly what: string;
  readonly lacks: string;
}

/** @throws errors of other kinds than a missing permission */
async function tried<Answer>(what: string, read: () => Promise<Answer>): Promise<{ readonly answer: Answer } | Lacking> {
  try {
    return { answer: await read() };
  } catch (error) {
    const lacks = missingPermission(error, `to read ${what}`);
    if (lacks === null) throw error;
    return { what, lacks };
  }
}

function lacking({ what, lacks }: Lacking): Finding {
  return fault(`STRIPE_SECRET_KEY may not read ${what}: add the permission ${lacks} to the restricted key.`);
}

function untried(): string {
  return `STRIPE_SECRET_KEY is a restricted key. It must also be allowed to write ${WRITES}, which cannot be tried here.`;
}

function shared(charges: Charges, publicUrl: string): Finding[] {
  const others = charges.filter(({ metadata }) => metadata["site"] !== publicUrl).length;
  if (others === 0) return [];
  return [
    warning(
      `The account at the payment provider has other business: ${others} of its latest ${charges.length} charges do not name ${publicUrl}. The month shows it on a line of its own.`,
    ),
  ];
}

async function settlement(stripe: Stripe): Promise<Finding[]> {
  const balance = await tried("the balance", () => stripe.balance.retrieve());
  if ("lacks" in balance)
    return [warning(`Which currency the account settles in is not known: the key lacks the permission ${balance.lacks}.`)];
  const { available, pending } = balance.answer;
  const currencies = new Set([...available, ...pending].map(({ currency }) => currency.toUpperCase()));
  if (currencies.size === 0 || [...currencies].every((code) => code === "USD")) return [];
  const named = [...currencies].toSorted().join(" and ");
  return [
    warning(
      `The account settles in ${named}: customers pay dollars, and the month shows the provider's report in each currency.`,
    ),
  ];
}

/** Whether the provider sends us all events that the service handles. Without them, it hears of disputes and fraud a day late. */
async function events(
  stripe: Stripe,
  { publicUrl, host, port }: Pick<Config, "publicUrl" | "host" | "port">,
): Promise<Finding[]> {
  const wanted = `${publicUrl}${WEBHOOK}`;
  // The built-in provider sends them within this machine.
  const addresses = [wanted, `${localUrl(host, port)}${WEBHOOK}`];
  const found = await tried("webhook endpoints", () => stripe.webhookEndpoints.list({ limit: 100 }));
  if ("lacks" in found)
    return [
      warning(
        `Whether the payment provider sends its events to ${wanted} is not known: the key lacks the permission ${found.lacks}.`,
      ),
    ];
  const own = found.answer.data.filter(({ url }) => addresses.includes(url));
  if (own.length === 0)
    return [
      fault(`The payment provider has no webhook endpoint ${wanted}: add one, with the events ${HANDLED_EVENTS.join(", ")}.`),
    ];
  const enabled = own.filter(({ status }) => status === "enabled");
  if (enabled.length === 0) return [fault(`The payment provider has disabled the webhook endpoint ${wanted}: enable it there.`)];
  const sent = new Set(enabled.flatMap((endpoint) => endpoint.enabled_events));
  const missing = sent.has("*") ? [] : HANDLED_EVENTS.filter((type) => !sent.has(type));
  if (missing.length > 0)
    return [fault(`The webhook endpoint ${wanted} lacks the events ${missing.join(", ")}: add them at the payment provider.`)];
  return [ok("The payment provider sends all events that the service handles.")];
}
