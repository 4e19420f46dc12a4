import pino from "pino";
import { createStripe } from "../../src/billing/billing.ts";
import { ledger } from "../../src/ledger/ledger.ts";
import { personalDataJobs, personalDataRoutes, type ErasureDependencies } from "../../src/personal-data/personal-data.ts";
import { ScriptedStripe } from "../stand-ins/scripted-stripe.ts";
import { accountWorld, SECRET_KEYS, type AccountWorld } from "./account-world.ts";

/** Accounts with their export and erasure. */
export interface PersonalWorld extends AccountWorld {
  readonly personal: ErasureDependencies;
  readonly stripe: ScriptedStripe;
  /** Runs the jobs of personal data once. */
  work(): Promise<void>;
}

/** @param limitsScale 0 turns the limits off */
export async function personalWorld(limitsScale = 0): Promise<PersonalWorld> {
  const world = await accountWorld(limitsScale);
  const { handle } = world.database;
  const stripe = await ScriptedStripe.start();
  const personal: ErasureDependencies = {
    handle,
    clock: world.clock,
    log: pino({ level: "silent" }),
    config: { limitsScale, secretKeys: SECRET_KEYS },
    ledger,
    live: { publish: () => undefined },
    stripe: createStripe({ stripe: { secretKey: "sk_test_farline", webhookSecrets: [], apiBase: stripe.url } }),
  };
  personalDataRoutes(world.app, personal);
  const work = async () => {
    for (const job of personalDataJobs(personal)) await job.run(new AbortController().signal);
  };
  const close = async () => {
    await world.close();
    await stripe.close();
  };
  return { ...world, personal, stripe, work, close };
}
