import { lazy } from "react";
import { loadTexts } from "../../text/i18n.ts";

/** A rarely used part, loaded with its texts when first shown. */
const part = <P>(load: () => Promise<{ default: P }>): Promise<{ default: P }> =>
  Promise.all([load(), loadTexts("dialer-parts")]).then(([loaded]) => loaded);

export const CallTopUp = lazy(() => part(() => import("./call/call-top-up.tsx")));
export const MicrophoneHelp = lazy(() => part(() => import("./sound/microphone-help.tsx")));
export const SoundDialog = lazy(() => part(() => import("./sound/sound-dialog.tsx")));
/** Shown once in each browser. */
export const Tutorial = lazy(() => part(() => import("./tutorial.tsx")));
