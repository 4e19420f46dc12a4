import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { CommandError } from "../command.ts";
import { readInstallation } from "./installation.ts";

const folder = mkdtempSync(join(tmpdir(), "farline-installation-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("an address of the database that cannot be read is refused without its password", () => {
  const read = () => readInstallation({ DATABASE_URL: "postgres://farline:s#cret@localhost/farline", STRIPE_SECRET_KEY: "sk" });
  expect(read).toThrow(CommandError);
  expect(read).toThrow(/^DATABASE_URL: must be like postgres:/);
  expect(read).not.toThrow("s#cret");
});

test("the database's password may stand beside its address", () => {
  const env = { DATABASE_URL: "postgres://farline@localhost/farline", DATABASE_PASSWORD: "s/#", STRIPE_SECRET_KEY: "sk" };
  expect(readInstallation(env).databaseUrl).toBe("postgres://farline:s%2F%23@localhost/farline");
});

test("the built-in PostgreSQL is reached without TLS, whatever the shell's PGSSLMODE", () => {
  mkdirSync(join(folder, "postgres", "data"), { recursive: true });
  writeFileSync(join(folder, "postgres", "password"), "secret");
  writeFileSync(join(folder, "postgres", "data", "postmaster.pid"), "1\n/data\n0\n5433\n");
  expect(readInstallation({ DATA_DIR: folder, DATABASE_PASSWORD: "other", STRIPE_SECRET_KEY: "sk" }).databaseUrl).toBe(
    "postgres://farline:secret@127.0.0.1:5433/farline?sslmode=disable",
  );
});
