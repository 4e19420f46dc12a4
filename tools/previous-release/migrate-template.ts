import type { TestProject } from "vitest/node";
import { migrateTemplate } from "../../server/test/postgres.ts";

/** Vitest global setup, after the earlier version's own: upgrades the database that all tests copy to this version. */
export default (project: TestProject): Promise<void> => migrateTemplate(project.getProvidedContext().postgresUrl);
