import { useTranslation } from "react-i18next";
import { browserName } from "./browser-name.ts";

/** How to allow the microphone in this browser. */
export default function MicrophoneHelp() {
  const { t } = useTranslation("dialer-parts");
  const browser = browserName(navigator.userAgent, navigator.maxTouchPoints);
  return <p>{t(`microphoneHelp.${browser}`)}</p>;
}
