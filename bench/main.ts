import { mkdirSync, writeFileSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";
import { bundle } from "./bundle.ts";
import { callMilestones } from "./call-milestones.ts";
import { callSetup } from "./first-sound.ts";
import { callsInARow } from "./exchange/calls-in-a-row.ts";
import { drain } from "./exchange/drain.ts";
import { kill } from "./exchange/kill.ts";
import { contactImport } from "./imports/contact-import.ts";
import { deckImport } from "./imports/deck-import.ts";
import { history } from "./history.ts";
import { ledgerProperties, moneyWorlds } from "./money-rules.ts";
import { ledgerRows } from "./ledger-rows.ts";
import { ledgerThroughput } from "./ledger.ts";
import { lighthousePages } from "./lighthouse.ts";
import { mainThread } from "./page-tasks.ts";
import { converted } from "./media/converted.ts";
import { flood } from "./media/flood.ts";
import { media } from "./media/media.ts";
import { operatorData, operatorSearch } from "./operator-search.ts";
import { publicPage } from "./public-page.ts";
import { setUps } from "./set-ups.ts";
import { simulate } from "./simulate.ts";
import { slowNetwork } from "./slow-network.ts";
import { start } from "./start.ts";

/** Each measurement returns its results, whose names include their units. */
const measurements: Readonly<Record<string, () => Promise<Record<string, unknown>>>> = {
  start,
  "call-setup": callSetup,
  "call-milestones": callMilestones,
  "set-ups": setUps,
  lighthouse: lighthousePages,
  bundle,
  "main-thread": mainThread,
  "public-page": publicPage,
  "slow-network": slowNetwork,
  history,
  "contact-import": contactImport,
  "deck-import": deckImport,
  ledger: ledgerThroughput,
  "ledger-rows": ledgerRows,
  "ledger-properties": ledgerProperties,
  "operator-data": operatorData,
  "operator-search": operatorSearch,
  media,
  converted,
  flood,
  "calls-in-a-row": callsInARow,
  drain,
  kill,
  "money-worlds": moneyWorlds,
  simulate,
};

const [name = ""] = process.argv.slice(2);
const measure = measurements[name];
if (!measure) {
  console.log(`Usage: npm run bench -- ${Object.keys(measurements).join(" | ")}`);
  process.exit(1);
}

/** Programs that ran or waited for a processor before the measurement: with more than a few, times are those of a busy machine. */
const load = Math.round((loadavg()[0] ?? 0) * 10) / 10;
const figures = await measure();
const result = {
  measured: name,
  date: new Date().toISOString().slice(0, 10),
  machine: { cores: cpus().length, memoryGiB: Math.round(totalmem() / 2 ** 30), node: process.versions.node, load },
  ...figures,
};
mkdirSync(new URL("results", import.meta.url), { recursive: true });
writeFileSync(new URL(`results/${name}.json`, import.meta.url), `${JSON.stringify(result, null, 2)}\n`);
console.log(JSON.stringify(result, null, 2));
// A caller that hangs up while its media connects may leave a socket open, which would keep this process running.
process.exit();
