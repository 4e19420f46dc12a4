import { globSync, readFileSync } from "node:fs";
import { findLongLocks } from "./long-locks.ts";

for (const file of globSync("server/migrations/*.sql").toSorted())
  for (const fault of findLongLocks(readFileSync(file, "utf8"))) {
    console.log(`${file}: ${fault}`);
    process.exitCode = 1;
  }
