import type { FastifyRequest } from "fastify";
import type { Logger } from "pino";
import type Stripe from "stripe";
import type { Ledger } from "../ledger/ledger.ts";
import type { Clock } from "../platform/clock.ts";
import type { Config } from "../platform/config.ts";
import type { DatabaseHandle } from "../platform/database.ts";

/** Who asks, as far as billing needs to know. */
export interface Payer {
  readonly id: string;
  readonly email: string;
  readonly status: "active" | "frozen";
}

/** What billing is built from. */
export interface BillingParts {
  readonly handle: DatabaseHandle;
  readonly stripe: Stripe;
  readonly config: Pick<Config, "publicUrl" | "mode" | "stripe" | "limitsScale">;
  readonly clock: Clock;
  readonly log: Logger;
  readonly ledger: Ledger;
  /** @throws AppError unauthenticated */
  readonly authenticate: (request: FastifyRequest) => Promise<Payer>;
}
