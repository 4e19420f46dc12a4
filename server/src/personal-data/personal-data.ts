import type { Job } from "../platform/jobs/jobs.ts";
import { prepareExports } from "./export/prepare-exports.ts";
import type { PersonalDataDependencies } from "./personal-data-dependencies.ts";

export { endExports } from "./export/request-export.ts";
export type { PersonalDataDependencies } from "./personal-data-dependencies.ts";
export { personalDataRoutes } from "./personal-data-routes.ts";

const PREPARE_EVERY_MS = 5_000;

/** Prepares the copies that customers asked for. */
export function personalDataJobs(deps: PersonalDataDependencies): Job[] {
  return [{ name: "prepare-exports", everyMs: PREPARE_EVERY_MS, run: (signal) => prepareExports(deps, signal) }];
}
