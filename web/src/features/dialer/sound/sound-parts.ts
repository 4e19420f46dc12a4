import { lazy } from "react";
import { loadTexts } from "../../../text/i18n.ts";

/** Few calls need these parts: each loads with its texts when it is first shown. */
export const SoundDialog = lazy(async () => (await Promise.all([import("./sound-dialog.tsx"), loadTexts("sound")]))[0]);
export const MicrophoneHelp = lazy(async () => (await Promise.all([import("./microphone-help.tsx"), loadTexts("sound")]))[0]);
