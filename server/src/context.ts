import type { Logger } from "pino";
import type Stripe from "stripe";
import type { Telnyx } from "telnyx";
import type { Authenticate } from "./accounts/accounts.ts";
import type { PasswordCost } from "./accounts/credentials/password-hash.ts";
import type { Ledger } from "./ledger/ledger.ts";
import type { Live } from "./live/live.ts";
import { wasRecorded } from "./operator/operator.ts";
import type { Clock } from "./platform/clock.ts";
import { hasWritten, type DatabaseHandle, type Transaction } from "./platform/database/database.ts";
import type { Config } from "./platform/settings/config.ts";
import type { Rates } from "./rates/rates.ts";

/** A person of the company who acts by command, named in the record of operations. */
export interface Operator {
  readonly kind: "operator";
  readonly name: string;
}

/** Who acts: a request of a browser, a provider's event, a job, or an operator. */
export type Actor = { readonly kind: "customer" | "provider" | "job" } | Operator;

/** What every operation may use. Operations are functions of a context and their input. */
export interface Context<By extends Actor = Actor> {
  readonly actor: By;
  readonly clock: Clock;
  readonly log: Logger;
  readonly handle: DatabaseHandle;
  /**
   * Runs `work` in a transaction: the only way to open one. Hints are published after it, mails are queued and operations are
   * recorded inside it. An operator's transaction that writes and records no operation is rolled back.
   */
  transaction<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result>;
  readonly ledger: Ledger;
  /** Hints to open pages. */
  readonly live: Live;
  readonly stripe: Stripe;
  readonly config: Pick<Config, "publicUrl" | "mode" | "stripe" | "limitsScale"> & {
    readonly promotions: Pick<Config["promotions"], "giftsPerDayMicros">;
  };
}

/** An operator's context: all of an installation that a command may use. */
export type OperatorContext = Context<Operator>;

/** The context of requests, events and jobs, inside the service. */
export interface ServiceContext extends Context {
  readonly config: Config;
  readonly authenticate: Authenticate;
  readonly rates: Rates;
  readonly telnyx: Telnyx;
  /** What guessing costs an attacker. Tests pay less. */
  readonly costs: { readonly password: PasswordCost; readonly proofBits: number };
}

/** The same context for somebody else. */
export function actingAs<Given extends Context, By extends Actor>(ctx: Given, actor: By): Given & Context<By> {
  return { ...ctx, actor, transaction: transactions(ctx.handle, actor) };
}

/** `Context.transaction` of an actor. */
export function transactions({ db }: DatabaseHandle, actor: Actor): Context["transaction"] {
  return (work) =>
    // oxlint-disable-next-line farline/context-transactions -- the one place
    db.transaction().execute(async (tx) => {
      const result = await work(tx);
      if (actor.kind === "operator" && !wasRecorded(tx) && (await hasWritten(tx)))
        throw new Error(`An operator's transaction recorded no operation (${actor.name}).`);
      return result;
    });
}
