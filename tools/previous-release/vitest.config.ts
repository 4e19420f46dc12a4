import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The earlier version's project of tests on a database, whose databases this version migrates. */
const folder = process.env["PREVIOUS_RELEASE"] ?? "";
/** They compare the schema itself. */
const ON_THE_SCHEMA = [
  "server/src/platform/database/**",
  "server/src/**/personal-tables.test.ts",
  "server/src/jobs-by-index.test.ts",
];

interface Project {
  readonly test: Readonly<Record<string, unknown>> & {
    readonly name?: string;
    readonly exclude?: readonly string[];
    readonly globalSetup?: readonly string[];
  };
}

const { default: previous } = (await import(join(folder, "vitest.config.ts"))) as {
  default: { readonly test: Readonly<Record<string, unknown>> & { readonly projects: readonly Project[] } };
};
const database = previous.test.projects.find(({ test }) => test.name === "database");
if (database === undefined) throw new Error("The earlier version has no tests on a database.");

export default {
  test: {
    ...previous.test,
    projects: [
      {
        ...database,
        test: {
          ...database.test,
          include: ["server/**/*.test.ts"],
          exclude: [...(database.test.exclude ?? []), ...ON_THE_SCHEMA],
          globalSetup: [...(database.test.globalSetup ?? []), fileURLToPath(new URL("migrate-template.ts", import.meta.url))],
        },
      },
    ],
  },
};
