import pino from "pino";
import { endCardAccess } from "../../src/billing/billing.ts";
import { endCallAccess } from "../../src/calls/calls.ts";
import { ledger } from "../../src/ledger/ledger.ts";
import {
  endExports,
  personalDataJobs,
  personalDataRoutes,
  type PersonalDataDependencies,
} from "../../src/personal-data/personal-data.ts";
import { accountWorld, SECRET_KEYS, type AccountWorld } from "./account-world.ts";

/** Accounts with their export and erasure. */
export interface PersonalWorld extends AccountWorld {
  readonly personal: PersonalDataDependencies;
  /** Runs the jobs of personal data once. */
  work(): Promise<void>;
}

/** @param limitsScale 0 turns the limits off */
export async function personalWorld(limitsScale = 0): Promise<PersonalWorld> {
  const world = await accountWorld(limitsScale);
  const { handle } = world.database;
  const personal: PersonalDataDependencies = {
    handle,
    clock: world.clock,
    log: pino({ level: "silent" }),
    config: { limitsScale, secretKeys: SECRET_KEYS },
    ledger,
    live: { publish: () => undefined },
    endElsewhere: [endCallAccess, endCardAccess, endExports],
  };
  personalDataRoutes(world.app, personal);
  const work = async () => {
    for (const job of personalDataJobs(personal)) await job.run(new AbortController().signal);
  };
  return { ...world, personal, work };
}
