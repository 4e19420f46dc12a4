import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { DataDirectoryError, openDataDirectory, readDataDirectory } from "./data-directory.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "farline-data-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const HOLD = `
  const { openDataDirectory } = await import(${JSON.stringify(new URL("./data-directory.ts", import.meta.url).href)});
  try { globalThis.held = openDataDirectory(process.argv[1]); console.log("taken"); setInterval(() => {}, 1000); }
  catch (error) { console.log(error.message); }
`;

function holder() {
  return spawn(process.execPath, ["--input-type=module", "-e", HOLD, folder], { stdio: ["ignore", "pipe", "inherit"] });
}

async function firstLine(child: ReturnType<typeof holder>): Promise<string> {
  const [chunk] = (await once(child.stdout, "data")) as [Buffer];
  return chunk.toString().trim();
}

test("a data directory belongs to one process, and a second one fails with a clear message", async () => {
  const first = holder();
  try {
    expect(await firstLine(first)).toBe("taken");
    expect(() => openDataDirectory(folder)).toThrow(DataDirectoryError);
    expect(() => openDataDirectory(folder)).toThrow(`already runs on ${folder} (process ${first.pid})`);
  } finally {
    first.kill("SIGKILL");
  }
});

test("the data directory of a killed process can be opened immediately, with the same keys", async () => {
  const before = openDataDirectory(folder);
  before.release();
  const first = holder();
  expect(await firstLine(first)).toBe("taken");
  first.kill("SIGKILL");
  await once(first, "exit");
  const after = openDataDirectory(folder);
  expect(after.secrets).toEqual(before.secrets);
  after.release();
});

test("of many processes that open a killed process's directory concurrently, exactly one succeeds", async () => {
  const dead = holder();
  await firstLine(dead);
  dead.kill("SIGKILL");
  await once(dead, "exit");
  const children = Array.from({ length: 8 }, holder);
  try {
    const lines = await Promise.all(children.map(firstLine));
    expect(lines.filter((line) => line === "taken")).toHaveLength(1);
  } finally {
    for (const child of children) child.kill("SIGKILL");
  }
});

test.each(["lock", "lock.pid", "secrets.json"])("a data directory whose %s cannot be used is refused by its name", (name) => {
  mkdirSync(join(folder, name));
  expect(() => openDataDirectory(folder)).toThrow(DataDirectoryError);
  expect(() => openDataDirectory(folder)).toThrow(`The data directory ${folder} cannot be used: `);
  rmSync(join(folder, name), { recursive: true });
  openDataDirectory(folder).release();
});

test("keys are readable by the owner only", () => {
  openDataDirectory(folder).release();
  expect(statSync(join(folder, "secrets.json")).mode & 0o077).toBe(0);
});

test("missing keys are added to a data directory, and existing ones are kept", () => {
  const first = openDataDirectory(folder);
  first.release();
  const file = join(folder, "secrets.json");
  const { googleClientId: _, ...older } = first.secrets;
  writeFileSync(file, JSON.stringify(older));
  const second = openDataDirectory(folder);
  second.release();
  expect(second.secrets).toEqual({ ...older, googleClientId: expect.stringMatching(/^farline-/) });
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(second.secrets);
  expect(statSync(file).mode & 0o077).toBe(0);
});

test.each(["", "{"])("damaged keys, here '%s', are named and are not replaced by new ones", (damaged) => {
  const file = join(folder, "secrets.json");
  writeFileSync(file, damaged);
  expect(() => readDataDirectory(folder)).toThrow(DataDirectoryError);
  expect(() => openDataDirectory(folder)).toThrow(`The keys in ${file} are damaged.`);
  expect(readFileSync(file, "utf8")).toBe(damaged);
});
