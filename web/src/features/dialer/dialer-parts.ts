import { lazy } from "react";
import { loadPart, optionalPart } from "../../session/load-part.ts";
import { loadTexts, type Namespace } from "../../text/i18n.ts";

/** A rarely used part, loaded with its texts when first shown. */
const part = <P>(load: () => Promise<{ default: P }>, texts: Namespace = "dialer-parts"): Promise<{ default: P }> =>
  loadPart(() => Promise.all([load(), loadTexts(texts)])).then(([loaded]) => loaded);

const lastCall = () => part(() => import("./call/last-call.tsx"));

/** Loads what follows a call while there is a network: during the call. */
export function prepareLastCall(): void {
  lastCall().catch(() => undefined);
}
export const LastCall = optionalPart(lastCall);

/** Few customers import contacts here. */
export const ImportedContacts = optionalPart(() => part(() => import("./import/imported-contacts.tsx")));
/** What failed is said without it. */
export const FailureAdvice = optionalPart(() =>
  part(async () => ({ default: (await import("./sound/call-advice.tsx")).FailureAdvice })),
);
export const CallTopUp = lazy(() => part(() => part(() => import("./call/call-top-up.tsx")), "billing"));
export const SoundDialog = lazy(() => part(() => import("./sound/sound-dialog.tsx")));
/** In countries with several clocks. */
export const PlaceTime = optionalPart(() => part(() => part(() => import("../../ui/dialling/place-of-clock.tsx")), "places"));
/** Shown once in each browser. */
export const Tutorial = optionalPart(() => part(() => import("./tutorial.tsx")));
