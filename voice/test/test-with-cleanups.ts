import { test as base } from "vitest";
import { Cleanups } from "@farline/sip/test/cleanups.ts";

/** A test that closes what it has opened. Apart from the class, which a drill uses without Vitest. */
export const test = base.extend<{ cleanups: Cleanups }>({
  // oxlint-disable-next-line no-empty-pattern -- required by Vitest
  cleanups: async ({}, use) => {
    const cleanups = new Cleanups();
    await use(cleanups);
    await cleanups.end();
  },
});
