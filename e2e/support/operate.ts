import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { OPERATORS_SQL, operatorHome } from "@farline/server/test/operators.ts";
import { query } from "./books.ts";

const MAIN = fileURLToPath(new URL("../../cli/src/main.ts", import.meta.url));

/** Runs a command on the product as the operator Grace, as in a shell. `said`: its output. */
export function operate(...words: string[]): Promise<{ code: number; said: string }> {
  return operateAs("grace", ...words);
}

/** The same as another of the test operators. */
export async function operateAs(name: string, ...words: string[]): Promise<{ code: number; said: string }> {
  await query(OPERATORS_SQL);
  const env = {
    HOME: await operatorHome(query, name, process.env["PRODUCT_URL"] ?? ""),
    PATH: process.env["PATH"] ?? "",
    DATA_DIR: process.env["PRODUCT_DATA_DIR"] ?? "",
    PORT: new URL(process.env["PRODUCT_URL"] ?? "").port,
  };
  return new Promise((resolve) => {
    execFile(process.execPath, [MAIN, ...words], { env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), said: stdout + stderr }),
    );
  });
}

/** The id of a customer's newest payment, for commands that need one. */
export async function newestPayment(email: string): Promise<string> {
  const { id } = await query<{ id: string }>(
    "select p.id from payment p join customer c on c.id = p.customer_id where c.email = $1 order by p.id desc limit 1",
    [email],
  );
  return id;
}
