import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { findLongLocks } from "./long-locks.ts";

/** Earlier ones were released before this check. */
const FIRST = "078";

for (const file of globSync("server/migrations/*.sql").toSorted())
  if (basename(file) >= FIRST)
    for (const fault of findLongLocks(readFileSync(file, "utf8"))) {
      console.log(`${file}: ${fault}`);
      process.exitCode = 1;
    }
