import type { ServiceContext } from "../../src/context.ts";
import { personalDataJobs, personalDataRoutes } from "../../src/personal-data/personal-data.ts";
import { testContext } from "../test-context.ts";
import { ScriptedStripe } from "../fakes/scripted-stripe.ts";
import { accountWorld, SECRET_KEYS, type AccountWorld } from "./account-world.ts";

/** Accounts with data export and erasure. */
export interface PersonalWorld extends AccountWorld {
  readonly ctx: ServiceContext;
  readonly stripe: ScriptedStripe;
  /** Runs the personal-data jobs once. */
  work(): Promise<void>;
}

/** @param limitsScale 0 turns the limits off */
export async function personalWorld(limitsScale = 0): Promise<PersonalWorld> {
  const world = await accountWorld(limitsScale);
  const { handle } = world.database;
  const stripe = await ScriptedStripe.start();
  const ctx = testContext({
    handle,
    clock: world.clock,
    config: {
      limitsScale,
      secretKeys: SECRET_KEYS,
      stripe: { secretKey: "sk_test_farline", webhookSecrets: [], apiBase: stripe.url },
    },
  });
  personalDataRoutes(world.app, ctx);
  const work = async () => {
    for (const job of personalDataJobs(ctx)) await job.run(new AbortController().signal);
  };
  const close = async () => {
    await world.close();
    await stripe.close();
  };
  return { ...world, ctx, stripe, work, close };
}
