import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { query } from "./books.ts";

const MAIN = fileURLToPath(new URL("../../cli/src/main.ts", import.meta.url));

/** Runs an operator's command on the product, as in a shell. `said`: its output. */
export function operate(...words: string[]): Promise<{ code: number; said: string }> {
  const env = {
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
