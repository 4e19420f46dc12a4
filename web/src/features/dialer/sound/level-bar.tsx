import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { LevelMeter } from "../../../phone/device/level-meter.ts";
import { usePhone } from "../phone-session.ts";
import * as styles from "./level-bar.module.css";
import * as fieldStyles from "../../../ui/forms/field.module.css";

/** Above this level, somebody is speaking. */
const SPEECH_LEVEL = 0.35;

/** The microphone level as a bar, with a text once speech was detected. */
export function LevelBar({ meter }: { readonly meter: LevelMeter }) {
  const { t } = useTranslation("dialer-parts");
  const bar = useRef<HTMLElement>(null);
  const { soundPaused } = usePhone();
  const [heard, setHeard] = useState(false);
  useEffect(() => {
    let frame = 0;
    const draw = (): void => {
      const level = meter.read();
      // Bypass React: one property changes 60 times a second.
      if (bar.current !== null) bar.current.style.transform = `scaleX(${level.toFixed(3)})`;
      if (level > SPEECH_LEVEL) setHeard(true);
      frame = requestAnimationFrame(draw);
    };
    frame = requestAnimationFrame(draw);
    return () => cancelAnimationFrame(frame);
  }, [meter]);
  return (
    <>
      <div className={styles.level} aria-hidden="true">
        <i ref={bar} />
      </div>
      <p className={fieldStyles.hint} role="status">
        {t(soundPaused ? "sound.paused" : heard ? "sound.heard" : "sound.speak")}
      </p>
    </>
  );
}
