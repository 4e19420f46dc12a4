import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { mergeConfig, type Plugin } from "vitest/config";
import { createVitest, type TestSpecification, type Vitest } from "vitest/node";
import { changeTemplate } from "../../../server/test/postgres.ts";
import usual from "../../../vitest.config.ts";

/** For each test file, because a fault can cause an endless loop. */
const TIMEOUT_MS = 180_000;

export type Verdict = "found" | "too slow" | "survived";

/** One Vitest and one PostgreSQL for all faults; only the workers restart. */
export interface TestBench {
  /** Selects the tests to run. @throws Error if they fail without a fault */
  choose(paths: readonly string[]): Promise<void>;
  /**
   * Runs the tests with this text in place of the file's own: in memory, or for an SQL function in the template database that
   * every test copies. The working tree is not changed.
   */
  judge(file: string, source: string): Promise<Verdict>;
  close(): Promise<void>;
}

export async function openTestBench(): Promise<TestBench> {
  const planted = new Map<string, string>();
  const vitest = await openVitest((path) => planted.get(path));
  /** The number of faults that each test file found. */
  let finds = new Map<TestSpecification, number>();
  return {
    async choose(paths) {
      finds = new Map();
      for (const path of paths) for (const test of await vitest.globTestSpecifications([resolve(path)])) finds.set(test, 0);
      const { verdict, by } = await run(vitest, [...finds.keys()]);
      if (verdict !== "survived") throw new Error(`${by?.moduleId ?? paths.join(", ")} fails without a fault.`);
    },
    async judge(file, source) {
      const path = resolve(file);
      const isSql = file.endsWith(".sql");
      planted.set(path, source);
      if (isSql) await runOnTemplate(vitest, source);
      else vitest.invalidateFile(path);
      const outcome = await runUntilFound(vitest, orderTests(path, finds));
      if (outcome.by !== undefined) finds.set(outcome.by, (finds.get(outcome.by) ?? 0) + 1);
      planted.delete(path);
      if (isSql) await runOnTemplate(vitest, readFileSync(path, "utf8"));
      else vitest.invalidateFile(path);
      return outcome.verdict;
    },
    close: () => vitest.close(),
  };
}

/** @param plantedAt returns the faulty text of a file, if it has a fault now */
function openVitest(plantedAt: (path: string) => string | undefined): Promise<Vitest> {
  const plugin: Plugin = { name: "planted-fault", enforce: "pre", load: (id) => plantedAt(id.split("?", 1)[0] ?? "") };
  const projects = (usual.test?.projects ?? []).map((project) => mergeConfig(project as object, { plugins: [plugin] }));
  const silent = {};
  return createVitest("test", {
    ...usual.test,
    projects,
    config: false,
    root: ".",
    watch: false,
    bail: 1,
    fsModuleCache: false,
    reporters: [silent],
  });
}

/** @throws Error when the database rejects it */
async function runOnTemplate(vitest: Vitest, sql: string): Promise<void> {
  const project = vitest.projects.find(({ name }) => name === "database");
  if (project === undefined) throw new Error("There is no project for tests with a database.");
  await changeTemplate(project.getProvidedContext().postgresUrl, sql);
}

/** Three groups: the file's own test, the test that has found the most faults so far, and the rest. */
function orderTests(path: string, finds: ReadonlyMap<TestSpecification, number>): TestSpecification[][] {
  const own = path.replace(/\.ts$/, ".test.ts");
  const tests = [...finds].toSorted((one, other) => other[1] - one[1]).map(([test]) => test);
  const others = tests.filter((test) => test.moduleId !== own);
  return [tests.filter((test) => test.moduleId === own), others.slice(0, 1), others.slice(1)];
}

/** Runs one group after another until a test fails. A fault has survived only if all tests ran. */
async function runUntilFound(vitest: Vitest, groups: readonly TestSpecification[][]): Promise<Outcome> {
  for (const tests of groups) {
    const outcome = await run(vitest, tests);
    if (outcome.verdict !== "survived") return outcome;
  }
  return { verdict: "survived" };
}

interface Outcome {
  readonly verdict: Verdict;
  /** The test that found the fault. */
  readonly by?: TestSpecification;
}

async function run(vitest: Vitest, tests: readonly TestSpecification[]): Promise<Outcome> {
  if (tests.length === 0) return { verdict: "survived" };
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    // The second call terminates a worker that ignores the first.
    void vitest.cancelCurrentRun("keyboard-input");
    void vitest.cancelCurrentRun("keyboard-input");
  }, TIMEOUT_MS * tests.length);
  const { unhandledErrors } = await vitest.runTestSpecifications([...tests]).finally(() => clearTimeout(timer));
  if (timedOut) return { verdict: "too slow" };
  const by = tests.find((test) => test.testModule?.state() === "failed");
  const green = unhandledErrors.length === 0 && tests.every((test) => test.testModule?.ok() === true);
  return green ? { verdict: "survived" } : { verdict: "found", by };
}
