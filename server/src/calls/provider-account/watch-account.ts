import { APIError, type Telnyx } from "telnyx";
import type { Metric } from "../../platform/metric.ts";
import { readSoldDestinations, webhookUrlOf, type AccountRequirements } from "./account-requirements.ts";
import type { ServiceContext } from "../../context.ts";
import { judgeAccount, type Finding } from "./judge-account.ts";
import { readAccount } from "./read-account.ts";

const CHECK_EVERY_MS = 6 * 60 * 60_000;

/** Checks the account at the voice provider when the service starts and every six hours. */
export interface AccountWatch {
  /** Checks now, and regularly until `stop`. */
  start(): void;
  stop(): void;
  check(): Promise<void>;
  /** For monitoring: how many settings of the account need attention. */
  readonly metric: Metric;
}

export function createAccountWatch(ctx: ServiceContext): AccountWatch {
  const { log } = ctx;
  let problems = 0;
  let timer: NodeJS.Timeout | null = null;

  async function check(): Promise<void> {
    const { connectionId, publicKeys, callerNumber } = ctx.config.telnyx;
    const sold = await readSoldDestinations(ctx.handle.db, ctx.clock.now(), ctx.config.mode === "sandbox");
    const required = { connectionId, publicKeys, callerNumber, webhookUrl: webhookUrlOf(ctx.config.publicUrl), ...sold };
    const bad = (await checkAccount(ctx.telnyx, required)).filter(({ level }) => level !== "ok");
    problems = bad.length;
    for (const { level, text } of bad) log[level === "failure" ? "error" : "warn"](`Voice provider: ${text}`);
  }

  function run(): void {
    check().catch((error: unknown) => log.error({ err: error }, "the account at the voice provider could not be checked"));
  }

  return {
    start() {
      run();
      timer = setInterval(run, CHECK_EVERY_MS);
    },
    stop() {
      if (timer !== null) clearInterval(timer);
    },
    check,
    metric: {
      name: "farline_voice_account_problems",
      help: "Settings of the account at the voice provider that need attention, as of the last check",
      read: async () => problems,
      runbook: "part-down",
      level: "ticket",
      // Does not name the settings, because the metric is public.
      warning: (count) =>
        count === 0 ? null : "The account at the voice provider needs attention. See the log and the command telnyx check.",
    },
  };
}

/** Checks the account at the voice provider. @returns one finding per setting, with the remedy if it is wrong */
export async function checkAccount(telnyx: Telnyx, required: AccountRequirements): Promise<Finding[]> {
  try {
    return judgeAccount(await readAccount(telnyx, required), required);
  } catch (error) {
    if (!(error instanceof APIError)) throw error;
    return [{ level: "failure", text: reasonOf(error) }];
  }
}

function reasonOf(error: APIError): string {
  if (error.status === 401) return "The provider refuses TELNYX_API_KEY: create a new key in the portal and set it.";
  if (error.status === 403) return "The API key may not read the account: create one without restrictions in the portal.";
  if (error.status === undefined)
    return "The voice provider does not respond: check the network, TELNYX_API_BASE and the provider's status page.";
  return `The voice provider's account could not be read (status ${error.status}): try again.`;
}
