import { operatorHome } from "@farline/server/test/operators.ts";
import type { TestDatabase } from "@farline/server/test/test-database.ts";
import { Command } from "commander";
import { vi } from "vitest";
import { addCommonOptions } from "../src/operate/commands.ts";

/**
 * Runs a command as an operator, who is grace by default, for a live installation. In this process, because a new one takes seconds.
 * @param add the function that adds the command
 */
export async function runCommand(
  { handle, url, operator = "grace" }: Pick<TestDatabase, "handle" | "url"> & { readonly operator?: string },
  add: (program: Command) => void,
  ...words: string[]
): Promise<{ code: number; output: string }> {
  let output = "";
  const keep = (text: unknown) => {
    output += String(text);
    return true;
  };
  vi.stubEnv("HOME", await operatorHome((query, values) => handle.pool.query(query, values), operator));
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
