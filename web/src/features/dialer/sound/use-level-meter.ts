import { useEffect, useState } from "react";
import type { LevelMeter } from "../../../phone/device/level-meter.ts";
import { microphonePermission } from "../../../phone/device/microphone.ts";
import { type PhoneErrorCode, toPhoneError } from "../../../phone/phone-error.ts";
import { phone } from "../phone-session.ts";

interface HeardMicrophone {
  /** Null while the microphone is not open. */
  readonly meter: LevelMeter | null;
  /** Why it is not. */
  readonly problem: PhoneErrorCode | null;
  /** Opens it, which may show the browser's question. */
  readonly listen: () => void;
}

/**
 * Listens to the chosen microphone as long as the page shows it. The browser's question is not sprung on anybody: without
 * the permission the caller asks for it by a press. In a call the microphone is open already.
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
