import type { OperatorRight, OperatorRole } from "@farline/contract/operator/rights.ts";
import type { Logger } from "pino";
import type Stripe from "stripe";
import type { Telnyx } from "telnyx";
import type { Authenticate } from "./accounts/accounts.ts";
import type { PasswordCost } from "./accounts/credentials/password-hash.ts";
import type { Ledger } from "./ledger/ledger.ts";
import type { Live } from "./live/live.ts";
import { wasRecorded } from "./operator/operations.store.ts";
import { confirmActor } from "./operator/people/operator-sessions.ts";
import type { Clock } from "./platform/clock.ts";
import { hasWritten, type DatabaseHandle, type Transaction } from "./platform/database/database.ts";
import type { Config } from "./platform/settings/config.ts";
import type { Rates } from "./rates/rates.ts";
import type { CurrentSettings } from "./settings/settings.ts";

/** An operator who has signed in, named in the record of operations. */
export interface Operator {
  readonly kind: "operator";
  readonly id: string;
  readonly name: string;
  readonly role: OperatorRole;
  /** What the route or command was declared to need. Every transaction verifies it. */
  readonly right: OperatorRight;
  /** The session that acts; null while it is being started. */
  readonly session: string | null;
}

/** Who acts: a customer's request, a provider's event, a job or an operator. */
export type Actor = { readonly kind: "customer" | "provider" | "job" } | Operator;

/** What every operation may use. Operations take a context and their input. */
export interface Context<By extends Actor = Actor> {
  readonly actor: By;
  readonly clock: Clock;
  readonly log: Logger;
  readonly handle: DatabaseHandle;
  /**
   * Runs a function in a transaction; the only way to open one. Publish hints after it; queue mails and record operations
   * inside it. An operator's transaction begins by verifying their right and session, and recording the operation verifies them for
   * the last time; one that writes without recording is rolled back.
   */
  transaction<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result>;
  readonly ledger: Ledger;
  /** Hints to open pages. */
  readonly live: Live;
  readonly stripe: Stripe;
  /** Figures that operators change while the service runs. */
  readonly settings: CurrentSettings;
  readonly config: Pick<Config, "publicUrl" | "mode" | "stripe" | "limitsScale"> & {
    readonly promotions: Pick<Config["promotions"], "giftsPerDayMicros">;
  };
}

/** The context of an operator's command. */
export type OperatorContext = Context<Operator>;

/** The context of requests, events and jobs, inside the service. */
export interface ServiceContext extends Context {
  readonly config: Config;
  readonly authenticate: Authenticate;
  readonly rates: Rates;
  readonly telnyx: Telnyx;
  /** Costs of password hashing and proof of work. Tests use cheap ones. */
  readonly costs: { readonly password: PasswordCost; readonly proofBits: number };
}

/** The same context with another actor. */
export function actingAs<Given extends Context, By extends Actor>(ctx: Given, actor: By): Given & Context<By> {
  return { ...ctx, actor, transaction: transactions(ctx, actor) };
}

/** `Context.transaction` of an actor. */
export function transactions({ handle, clock }: Pick<Context, "handle" | "clock">, actor: Actor): Context["transaction"] {
  return (work) =>
    // oxlint-disable-next-line farline/context-transactions -- the only place
    handle.db.transaction().execute(async (tx) => {
      if (actor.kind === "operator") await confirmActor(tx, actor, { now: clock.now(), holds: "now" });
      const result = await work(tx);
      if (actor.kind === "operator" && !wasRecorded(tx) && (await hasWritten(tx)))
        throw new Error(`An operator's transaction recorded no operation (${actor.name}).`);
      return result;
    });
}
