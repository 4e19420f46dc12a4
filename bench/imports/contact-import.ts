import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { signUp } from "@farline/e2e/support/customer.ts";
import type { Browser, Page } from "@playwright/test";
import { startTrace, taskFigures } from "../page-tasks.ts";
import { withBrowser, withProduct } from "../with-product.ts";

const PEOPLE = 5_000;
const CARD_FILE_BYTES = 5_000_000;
const REQUEST_EVERY_MS = 10;
const SEARCHES = ["person 42", "fernandez", "0794", "company 7", "nobody at all"];

/**
 * Imports a table of 5,000 rows and a card file of 5 MB through the page. Measures the time from choosing the file to its
 * preview and from Import to the stored contacts and, meanwhile, the main thread's tasks and the service's latency for others.
 * Then measures the search over all contacts, from a keystroke to its result on screen.
 */
export async function contactImport(): Promise<Record<string, unknown>> {
  // Read from disk: contents passed by the test driver would be decoded on the page's main thread.
  const folder = mkdtempSync(join(tmpdir(), "farline-import-"));
  try {
    return await withProduct(({ url }) => withBrowser((browser) => importFiles(browser, url, folder)));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function importFiles(browser: Browser, url: string, folder: string): Promise<Record<string, unknown>> {
  const measured: Record<string, unknown> = {};
  for (const [name, fileName, content] of [
    ["table", "people.csv", table()],
    ["cards", "people.vcf", cards()],
  ] as const) {
    const file = join(folder, fileName);
    writeFileSync(file, content);
    const page = await browser.newPage();
    await signUp(page, url);
    await page.goto(`${url}/contacts`);
    measured[name] = { bytes: statSync(file).size, ...(await importFile(page, url, file)) };
    if (name === "table") measured["search"] = await search(page);
    await page.close();
  }
  return measured;
}

async function importFile(page: Page, url: string, file: string): Promise<Record<string, unknown>> {
  await page.getByText("No Contacts Yet").waitFor();
  await page.getByRole("button", { name: "Import", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Choose a file, or drop it here").waitFor();
  const trace = await startTrace(page);
  const others = measureLatency(url);
  const chosen = performance.now();
  await dialog.locator("input[type=file]").setInputFiles(file);
  const run = dialog.getByRole("button", { name: `Import ${PEOPLE.toLocaleString("en")} contacts` });
  await run.waitFor();
  const previewed = performance.now();
  await run.click();
  await page
    .getByText(`Imported ${PEOPLE.toLocaleString("en")} contacts`)
    .first()
    .waitFor();
  const imported = performance.now();
  const answers = await others();
  return {
    fileToPreviewMs: Math.round(previewed - chosen),
    importMs: Math.round(imported - previewed),
    page: taskFigures(await trace.stop()),
    othersWaited: { requests: answers.length, medianMs: answers[Math.floor(answers.length / 2)], worstMs: answers.at(-1) },
  };
}

/** Types each search one key at a time and measures from the last key to the result. */
async function search(page: Page): Promise<Record<string, unknown>> {
  const field = page.getByRole("searchbox");
  const trace = await startTrace(page);
  const waits: number[] = [];
  for (const text of SEARCHES) {
    await field.fill("");
    await page.locator("main li:has(h2)").first().waitFor();
    await field.pressSequentially(text, { delay: 60 });
    const typed = performance.now();
    await page.waitForResponse((answer) => new URL(answer.url()).searchParams.get("search") === text);
    await page.waitForFunction(() => document.querySelector('ul[aria-busy="true"]') === null);
    waits.push(Math.round(performance.now() - typed));
  }
  return { keyToAnswerMs: waits, page: taskFigures(await trace.stop()) };
}

/** Measures the latency for other customers with continuous small requests. Call the result to stop; it returns sorted milliseconds. */
function measureLatency(url: string): () => Promise<number[]> {
  const took: number[] = [];
  const ended = new AbortController();
  const request = async () => {
    while (!ended.signal.aborted) {
      const asked = performance.now();
      await (await fetch(`${url}/api/config`)).text();
      took.push(Math.round(performance.now() - asked));
      await pause(REQUEST_EVERY_MS);
    }
  };
  const done = request().catch((error: unknown) => error);
  return async () => {
    ended.abort();
    const failure = await done;
    if (failure !== undefined) throw failure;
    return took.toSorted((a, b) => a - b);
  };
}

function table(): string {
  const head =
    "First Name,Middle Name,Last Name,Nickname,Organization Name,Notes,Labels,E-mail 1 - Label,E-mail 1 - Value,Phone 1 - Label,Phone 1 - Value\n";
  const rows = Array.from(
    { length: PEOPLE },
    (_, i) =>
      `Person ${i},,Fernández,,Company ${i % 50},"Met, in ${2000 + (i % 25)}",* myContacts,* Home,person${i}@example.com,Mobile,${numberOf(i)}\n`,
  );
  return head + rows.join("");
}

/** Cards with a picture each, so that the file reaches 5 MB. */
function cards(): string {
  const bare = (i: number) =>
    `BEGIN:VCARD\r\nVERSION:3.0\r\nN:Fernández;Person ${i};;;\r\nFN:Person ${i} Fernández\r\nORG:Company ${i % 50}\r\nTEL;TYPE=CELL:${numberOf(i)}\r\n`;
  const room = Math.floor(CARD_FILE_BYTES / PEOPLE) - bare(1000).length - 60;
  const picture = `PHOTO;ENCODING=b;TYPE=JPEG:${"QUJD".repeat(Math.floor(room / 4)).replace(/(.{72})/g, "$1\r\n ")}\r\n`;
  return Array.from({ length: PEOPLE }, (_, i) => `${bare(i)}${picture}END:VCARD\r\n`).join("");
}

function numberOf(i: number): string {
  return `+4420${70_000_000 + i * 11}`;
}
