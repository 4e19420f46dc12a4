import { auditedCommands, auditedCredentials } from "./audited-verbs.ts";
import { boundedTimers } from "./bounded-timers.ts";
import { noFloatMoney } from "./no-float-money.ts";
import { noRawUrl } from "./no-raw-url.ts";

/** Rules of this product that were forgotten once. `.oxlintrc.json` says where each holds. */
export default {
  meta: { name: "farline" },
  rules: {
    "no-raw-url": noRawUrl,
    "no-float-money": noFloatMoney,
    "bounded-timers": boundedTimers,
    "audited-credentials": auditedCredentials,
    "audited-commands": auditedCommands,
  },
};
