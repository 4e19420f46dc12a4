import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAccountContext } from "@farline/server/accounts/accounts.ts";
import { createCallContext } from "@farline/server/calls/calls.ts";
import { systemClock } from "@farline/server/platform/clock.ts";
import { createServiceApp } from "@farline/server/service-app.ts";
import { operatorHome } from "@farline/server/test/operators.ts";
import { NOTHING_ELSEWHERE, testContext } from "@farline/server/test/test-context.ts";
import { testDatabase, type TestDatabase } from "@farline/server/test/test-database.ts";
import type { Config } from "@farline/server/platform/settings/config.ts";
import { Command } from "commander";
import { vi } from "vitest";
import { addCommonOptions } from "../src/command.ts";
import { addFirstAdmin } from "../src/machine/own-context.ts";
import { addOperatorCommands } from "../src/operate/operator-commands.ts";

/** A running service, and the operators who use it by commands. */
export interface CommandWorld {
  readonly database: TestDatabase;
  readonly url: string;
  /** Runs a command in this process, because a new one takes seconds, as an operator who has signed in. */
  run(operator: string, ...words: string[]): Promise<Outcome>;
  /** The home folder of an operator who has signed in. */
  homeOf(operator: string): Promise<string>;
  close(): Promise<void>;
}

export interface Outcome {
  readonly code: number;
  readonly output: string;
}

/** Every route of the service, listening, on a database of its own; without its jobs. */
export async function commandWorld(changes: Partial<Config> = {}): Promise<CommandWorld> {
  const database = await testDatabase();
  const webFolder = mkdtempSync(join(tmpdir(), "farline-no-web-"));
  const config = { databaseUrl: database.url, ...changes };
  const ctx = testContext({ handle: database.handle, clock: systemClock, config });
  const { app } = await createServiceApp(
    { accounts: createAccountContext(ctx, NOTHING_ELSEWHERE), calls: createCallContext(ctx) },
    {
      reading: null,
      watch: { answering: true, lockHolder: null, usedPercent: 0, trouble: () => null },
      intake: { closed: false },
      lifecycle: { stopping: false },
      jobs: { lateSeconds: () => new Map() },
    },
    webFolder,
  );
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  const homes = new Map<string, string>();
  const homeOf = async (operator: string) => {
    const home =
      homes.get(operator) ?? (await operatorHome((query, values) => database.handle.pool.query(query, values), operator, url));
    homes.set(operator, home);
    return home;
  };
  return {
    database,
    url,
    homeOf,
    run: async (operator, ...words) => runIn({ home: await homeOf(operator), url }, ...words),
    async close() {
      await app.close();
      await database.close();
      for (const folder of [webFolder, ...homes.values()]) rmSync(folder, { recursive: true });
    },
  };
}

interface Shell {
  readonly home: string;
  /** The installation's address, unless the command names another. */
  readonly url: string;
  /** For commands of the machine. */
  readonly databaseUrl?: string;
  /** Called with everything printed so far, after each addition. */
  readonly onOutput?: (output: string) => void;
}

/** Runs an operator's command with this home folder. */
export function runIn(shell: Shell, ...words: string[]): Promise<Outcome> {
  return runCommand(shell, (program) => addOperatorCommands(program, addFirstAdmin), ...words);
}

/** @param add the function that adds the command */
export async function runCommand(
  { home, url, databaseUrl = "", onOutput }: Shell,
  add: (program: Command) => void,
  ...words: string[]
): Promise<Outcome> {
  let output = "";
  const keep = (text: unknown) => {
    output += String(text);
    onOutput?.(output);
    return true;
  };
  vi.stubEnv("HOME", home);
  vi.stubEnv("PUBLIC_URL", url);
  vi.stubEnv("DATABASE_URL", databaseUrl);
  vi.stubEnv("STRIPE_SECRET_KEY", "sk_test_farline");
  const written = [process.stdout, process.stderr].map((stream) => vi.spyOn(stream, "write").mockImplementation(keep));
  try {
    const program = new Command();
    add(program);
    addCommonOptions(program);
    await program.parseAsync(words, { from: "user" });
    return { code: Number(process.exitCode ?? 0), output };
  } finally {
    for (const spy of written) spy.mockRestore();
    vi.unstubAllEnvs();
    process.exitCode = undefined;
  }
}
