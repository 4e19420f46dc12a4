import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const MIGRATIONS = fileURLToPath(new URL("../../../migrations/", import.meta.url));

test("no two migrations have one number, and all are named alike", () => {
  const files = readdirSync(MIGRATIONS).filter((file) => file.endsWith(".sql"));
  for (const file of files) expect(file).toMatch(/^\d{3}\.do\.[a-z-]+\.sql$/);
  expect(new Set(files.map((file) => file.slice(0, 3))).size).toBe(files.length);
});
