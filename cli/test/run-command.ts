import { operatorHome } from "@farline/server/test/operators.ts";
import type { TestDatabase } from "@farline/server/test/test-database.ts";
import { Command } from "commander";
import { vi } from "vitest";
import { addCommonOptions } from "../src/operate/commands.ts";

interface Shell extends Pick<TestDatabase, "handle" | "url"> {
  /** Who has signed in. */
  readonly operator?: string;
  /** A home folder, in place of the operator's. */
  readonly home?: string;
  /** Called with everything printed so far, after each addition. */
  readonly onOutput?: (output: string) => void;
}

/**
 * Runs a command as an operator, who is grace by default, for a live installation. In this process, because a new one takes seconds.
 * @param add the function that adds the command
 */
export async function runCommand(
  { handle, url, operator = "grace", home, onOutput }: Shell,
  add: (program: Command) => void,
  ...words: string[]
): Promise<{ code: number; output: string }> {
  let output = "";
  const keep = (text: unknown) => {
    output += String(text);
    onOutput?.(output);
    return true;
  };
  vi.stubEnv("HOME", home ?? (await operatorHome((query, values) => handle.pool.query(query, values), operator)));
  vi.stubEnv("DATABASE_URL", url);
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
