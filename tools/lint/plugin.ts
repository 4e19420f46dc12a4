import { auditedCredentials } from "./audited-credentials.ts";
import { boundedTimers } from "./bounded-timers.ts";
import { contextTransactions } from "./context-transactions.ts";
import { loadedParts } from "./loaded-parts.ts";
import { noFloatMoney } from "./no-float-money.ts";
import { noRawUrl } from "./no-raw-url.ts";
import { oneClock } from "./one-clock.ts";
import { oneForm } from "./one-form.ts";
import { ownTextElement } from "./own-text-element.ts";
import { readerLocale } from "./reader-locale.ts";
import { refusableInterfaces } from "./refusable-interfaces.ts";

/** The product's own rules. `.oxlintrc.json` says where each applies. */
export default {
  meta: { name: "farline" },
  rules: {
    "no-raw-url": noRawUrl,
    "no-float-money": noFloatMoney,
    "bounded-timers": boundedTimers,
    "audited-credentials": auditedCredentials,
    "context-transactions": contextTransactions,
    "one-clock": oneClock,
    "one-form": oneForm,
    "own-text-element": ownTextElement,
    "reader-locale": readerLocale,
    "loaded-parts": loadedParts,
    "refusable-interfaces": refusableInterfaces,
  },
};
