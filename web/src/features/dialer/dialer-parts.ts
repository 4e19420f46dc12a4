import { type ComponentType, lazy } from "react";
import { loadTexts, type Namespace } from "../../text/i18n.ts";
import type { ImportedContactsProps } from "./import/imported-contacts.tsx";
import type { LastCallProps } from "./call/last-call.tsx";
import type { FailureAdviceProps } from "./sound/failure-advice.tsx";

/** A rarely used part, loaded with its texts when first shown. */
const part = <P>(load: () => Promise<{ default: P }>, texts: Namespace = "dialer-parts"): Promise<{ default: P }> =>
  Promise.all([load(), loadTexts(texts)]).then(([loaded]) => loaded);

const lastCall = (): Promise<{ default: ComponentType<LastCallProps> }> => part(() => import("./call/last-call.tsx"));

/** Loads what follows a call while there is a network: during the call. */
export function prepareLastCall(): void {
  lastCall().catch(() => undefined);
}
/** Without a network, the dialer works without it. */
export const LastCall = lazy(() => lastCall().catch(() => ({ default: () => null })));

const importedContacts = (): Promise<{ default: ComponentType<ImportedContactsProps> }> =>
  part(() => import("./import/imported-contacts.tsx"));

/** Few customers import contacts here. Without a network, the dialer works without the list. */
export const ImportedContacts = lazy(() => importedContacts().catch(() => ({ default: () => null })));

const failureAdvice = (): Promise<{ default: ComponentType<FailureAdviceProps> }> =>
  part(() => import("./sound/failure-advice.tsx"));

/** What failed is said without it, so it may be missing. */
export const FailureAdvice = lazy(() => failureAdvice().catch(() => ({ default: () => null })));
export const CallTopUp = lazy(() => part(() => part(() => import("./call/call-top-up.tsx")), "billing"));
export const SoundDialog = lazy(() => part(() => import("./sound/sound-dialog.tsx")));
/** Shown once in each browser. */
export const Tutorial = lazy(() => part(() => import("./tutorial.tsx")));
