import { execFile, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { OPERATORS_SQL, operatorHome } from "@farline/server/test/operators.ts";
import { query } from "./books.ts";

const MAIN = fileURLToPath(new URL("../../cli/src/main.ts", import.meta.url));

/** Runs a command on the product as the operator Grace, as in a shell. `said`: its output. */
export async function operate(...words: string[]): Promise<{ code: number; said: string }> {
  await query(OPERATORS_SQL);
  return operateIn(await operatorHome(query, "grace", process.env["PRODUCT_URL"] ?? ""), ...words);
}

/** Runs a command as the operator whose sign-in is stored in this home folder. */
export async function operateIn(home: string, ...words: string[]): Promise<{ code: number; said: string }> {
  const env = environment(home);
  return new Promise((resolve) => {
    execFile(process.execPath, [MAIN, ...words], { env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), said: stdout + stderr }),
    );
  });
}

/** Runs `sign-in` in this home folder. @param confirm opens its link and confirms its code */
export async function signInCommandLine(home: string, confirm: (link: string) => Promise<void>): Promise<void> {
  const child = spawn(process.execPath, [MAIN, "sign-in"], { env: environment(home), stdio: ["ignore", "pipe", "inherit"] });
  for await (const line of createInterface({ input: child.stdout })) {
    const link = /^Open (\S+)$/.exec(line)?.[1];
    if (link !== undefined) await confirm(link);
  }
}

function environment(home: string): Record<string, string> {
  return {
    HOME: home,
    PATH: process.env["PATH"] ?? "",
    DATA_DIR: process.env["PRODUCT_DATA_DIR"] ?? "",
    PORT: new URL(process.env["PRODUCT_URL"] ?? "").port,
  };
}

/** The id of a customer's newest payment, for commands that need one. */
export async function newestPayment(email: string): Promise<string> {
  const { id } = await query<{ id: string }>(
    "select p.id from payment p join customer c on c.id = p.customer_id where c.email = $1 order by p.id desc limit 1",
    [email],
  );
  return id;
}
