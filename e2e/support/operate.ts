import { execFile, spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "@playwright/test";
import { OPERATORS_SQL, operatorHome, operatorToken } from "@farline/server/test/operators.ts";
import { query } from "./books.ts";
import { databaseUrlOf, type Product } from "./product.ts";

const MAIN = fileURLToPath(new URL("../../cli/src/main.ts", import.meta.url));

/** Runs a command on the product as the operator Grace, as in a shell. `said`: its output. */
export async function operate(...words: string[]): Promise<{ code: number; said: string }> {
  await query(OPERATORS_SQL);
  const home = await operatorHome(query, "grace", process.env["PRODUCT_URL"] ?? "");
  try {
    return await operateIn(home, ...words);
  } finally {
    rmSync(home, { recursive: true });
  }
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
    NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "",
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

/** The console at an address, in a browser where a test operator has just signed in. @param product the shared one if left out */
export async function openConsole(browser: Browser, name: string, path: string, product?: Product): Promise<Page> {
  const url = product?.url ?? process.env["PRODUCT_URL"] ?? "";
  const databaseUrl = product === undefined ? undefined : databaseUrlOf(product);
  const run = (sql: string, values: unknown[] = []) => query(sql, values, databaseUrl);
  await run(OPERATORS_SQL);
  const context = await browser.newContext({ acceptDownloads: true });
  // Chromium takes the cookie for https alone, and also sends it to http on this machine.
  const secureUrl = url.replace("http:", "https:");
  await context.addCookies([{ name: "__Host-operator", value: await operatorToken(run, name), url: secureUrl, secure: true }]);
  const page = await context.newPage();
  await page.goto(`${url}${path}`);
  return page;
}

/** Gives the reason in the open dialog, and confirms with its button. */
export async function confirmWithReason(page: Page, reason: string, button: string | RegExp): Promise<void> {
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Reason").fill(reason);
  await dialog.getByRole("button", { name: button }).click();
}
