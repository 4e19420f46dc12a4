import { auditedCredentials, contextTransactions, noRawUrl, boundedTimers, noFloatMoney } from "./service-rules.ts";
import { loadedParts, oneClock, readerLocale, refusableInterfaces, shownAnswers } from "./browser-rules.ts";
import { namedAutofill, oneForm, ownTextElement } from "./page-rules.ts";
import { patientWaits } from "./test-rules.ts";

/** The product's own rules. `.oxlintrc.json` says where each applies. */
export default {
  meta: { name: "farline" },
  rules: {
    "no-raw-url": noRawUrl,
    "no-float-money": noFloatMoney,
    "bounded-timers": boundedTimers,
    "audited-credentials": auditedCredentials,
    "context-transactions": contextTransactions,
    "named-autofill": namedAutofill,
    "one-clock": oneClock,
    "one-form": oneForm,
    "own-text-element": ownTextElement,
    "reader-locale": readerLocale,
    "loaded-parts": loadedParts,
    "refusable-interfaces": refusableInterfaces,
    "shown-answers": shownAnswers,
    "patient-waits": patientWaits,
  },
};
