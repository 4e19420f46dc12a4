import { lazy } from "react";
import { loadTexts, type Namespace } from "../../text/i18n.ts";

/** A rarely used part, loaded with its texts when first shown. */
const part = <P>(load: () => Promise<{ default: P }>, texts: Namespace = "dialer-parts"): Promise<{ default: P }> =>
  Promise.all([load(), loadTexts(texts)]).then(([loaded]) => loaded);

export const CallTopUp = lazy(() => part(() => part(() => import("./call/call-top-up.tsx")), "billing"));
export const MicrophoneHelp = lazy(() => part(() => import("./sound/microphone-help.tsx")));
export const SoundDialog = lazy(() => part(() => import("./sound/sound-dialog.tsx")));
/** Shown once in each browser. */
export const Tutorial = lazy(() => part(() => import("./tutorial.tsx")));
