import type { LiveHint } from "@farline/contract/events.ts";
import type { FastifyRequest } from "fastify";
import type { Logger } from "pino";
import type Stripe from "stripe";
import type { Telnyx } from "telnyx";
import type { PasswordCost } from "./accounts/credentials/password-hash.ts";
import type { SessionWithCustomer } from "./accounts/session/session.store.ts";
import type { Ledger } from "./ledger/ledger.ts";
import { wasRecorded } from "./operator/operations.store.ts";
import { confirmActor, type Actor, type Operator } from "./operator/people/operator-sessions.ts";
import type { Clock } from "./platform/clock.ts";
import { hasWritten, type DatabaseHandle, type Transact } from "./platform/database/database.ts";
import type { Read } from "./platform/database/read-database.ts";
import type { App } from "./platform/http/http.ts";
import type { Config } from "./platform/settings/config.ts";
import type { Buyer, LoadedDeck, RateQuote } from "./rates/active-deck.ts";
import type { TrunkCost } from "./rates/rates.store.ts";
import type { Uses } from "./platform/uses.ts";
import type { CurrentSettings } from "./settings/current-settings.ts";

export type { Actor, Operator } from "./operator/people/operator-sessions.ts";

/** What every operation may use. Operations take a context and their input. */
export interface Context<By extends Actor = Actor> {
  readonly actor: By;
  readonly clock: Clock;
  readonly log: Logger;
  readonly handle: DatabaseHandle;
  /** Runs a query that may be seconds old, on the reading database if there is one. */
  readonly read: Read;
  /**
   * Runs a function in a transaction; the only way to open one. Publish hints after it; queue mails and record operations
   * inside it. An operator's transaction begins by verifying their right and session, and recording the operation verifies them for
   * the last time; one that writes without recording is rolled back.
   */
  readonly transaction: Transact;
  readonly ledger: Ledger;
  /** Hints to open pages. */
  readonly live: Live;
  readonly stripe: Stripe;
  /** What the latest uses of each part came to. */
  readonly uses: Uses;
  /** Settings that operators change while the service runs. */
  readonly settings: CurrentSettings;
  readonly config: Pick<Config, "publicUrl" | "mode" | "stripe" | "limitsScale"> & {
    readonly promotions: Pick<Config["promotions"], "freeCreditPerDayMicros">;
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

/** Listens to one customer's hints. */
export type HintListener = (hint: LiveHint) => void;

export interface Live {
  /**
   * Notifies the customer's open pages, on every instance, that something changed. Call it after the
   * commit. Best effort: it never throws or blocks, and a hint may be lost.
   */
  publish(customerId: string, hint: LiveHint): void;
  /** Listens to every hint that this instance published. Returns a function that stops listening. */
  onPublished(listener: (customerId: string, hint: LiveHint) => void): () => void;
  /** Listens to the customer's hints from every instance. Returns a function that stops listening. */
  subscribe(customerId: string, listener: HintListener): () => void;
  /** Listens to the hints for every customer from every instance; `ready` if some were missed. Returns a function that stops listening. */
  subscribeToAll(listener: HintListener): () => void;
  /** Sends pending hints and disconnects. */
  close(): Promise<void>;
}

/** The rates of the service. */
export interface Rates {
  /**
   * The exact price of a number for this buyer; null if there is none, so that the call must be refused.
   * @param e164 from `normalizeNumber`
   */
  quote(e164: string, buyer: Buyer): RateQuote | null;
  /** The cost of a call to this number over each trunk that has its own deck. @param e164 from `normalizeNumber` */
  trunkCosts(e164: string): Promise<TrunkCost[]>;
  /** The active deck as shown on pages; null if there is none. */
  published(): Pick<LoadedDeck, "id" | "edition" | "effectiveAt" | "priceList"> | null;
  /** Whether a deck is active. */
  ready(): boolean;
  /** Checks for a newer deck now. Also happens once a minute. */
  refresh(): Promise<void>;
  /** Registers the routes under `/api/rates`. */
  routes(app: App): void;
  /** Stops polling for newer decks. */
  close(): void;
}

/**
 * Authenticates by the bearer token, for routes where no declared access fits: a ticket may replace the session,
 * or a long connection needs repeated checks. @throws AppError unauthenticated
 */
export type Authenticate = (request: FastifyRequest) => Promise<SessionWithCustomer>;

/** The same context with another actor. */
export function actingAs<Given extends Context, By extends Actor>(ctx: Given, actor: By): Given & Context<By> {
  return { ...ctx, actor, transaction: transactions(ctx, actor) };
}

/** `Context.transaction` of an actor. */
export function transactions(
  { handle, clock, uses }: Pick<Context, "handle" | "clock" | "uses">,
  actor: Actor,
): Context["transaction"] {
  return (work) =>
    uses.of("postings", () =>
      // oxlint-disable-next-line farline/context-transactions -- the only place
      handle.db.transaction().execute(async (tx) => {
        if (actor.kind === "operator") await confirmActor(tx, actor, { now: clock.now(), holds: "now" });
        const result = await work(tx);
        if (actor.kind === "operator" && !wasRecorded(tx) && (await hasWritten(tx)))
          throw new Error(`An operator's transaction recorded no operation (${actor.name}).`);
        return result;
      }),
    );
}
