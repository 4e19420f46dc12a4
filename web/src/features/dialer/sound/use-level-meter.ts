import { useEffect, useState } from "react";
import type { LevelMeter } from "../../../phone/device/level-meter.ts";
import { microphonePermission } from "../../../phone/device/microphone.ts";
import { type PhoneErrorCode, toPhoneError } from "../../../phone/phone-error.ts";
import { phone } from "../phone-session.ts";

interface HeardMicrophone {
  /** Null while the microphone is closed. */
  readonly meter: LevelMeter | null;
  /** Why it could not be opened. */
  readonly problem: PhoneErrorCode | null;
  /** Opens it, which may show the browser's permission prompt. */
  readonly listen: () => void;
}

/**
 * Measures the selected microphone while the page shows it. The browser's prompt never appears unasked: without
 * permission the caller first presses a button. During a call the microphone is already open.
 */
export function useLevelMeter(inCall: boolean): HeardMicrophone {
  const [asked, setAsked] = useState(inCall);
  const [meter, setMeter] = useState<LevelMeter | null>(null);
  const [problem, setProblem] = useState<PhoneErrorCode | null>(null);
  useEffect(() => {
    const look = async (): Promise<void> => {
      const permission = await microphonePermission();
      if (permission === "granted") setAsked(true);
      else if (permission === "denied") setProblem("microphone_denied");
    };
    void look();
  }, []);
  useEffect(() => {
    if (!asked) return undefined;
    let gone = false;
    let opened: LevelMeter | null = null;
    const open = async (): Promise<void> => {
      try {
        opened = await phone.openLevelMeter();
        if (gone) opened.close();
        else {
          setMeter(opened);
          setProblem(null);
        }
      } catch (error) {
        if (!gone) setProblem(toPhoneError(error, "microphone_busy").code);
      }
    };
    void open();
    return () => {
      gone = true;
      opened?.close();
    };
  }, [asked]);
  return { meter, problem, listen: () => setAsked(true) };
}
