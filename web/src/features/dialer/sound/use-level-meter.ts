import { useEffect, useState } from "react";
import { createLevelMeter, type LevelMeter } from "../../../phone/device/level-meter.ts";
import { type PhoneErrorCode, toPhoneError } from "../../../phone/phone-error.ts";
import { knownProblem } from "../../../phone/phone-state.ts";
import { phone, usePhone } from "../phone-session.ts";

interface HeardMicrophone {
  /** Null while the microphone is closed. */
  readonly meter: LevelMeter | null;
  /** Why the microphone cannot be heard. */
  readonly problem: PhoneErrorCode | null;
  /** Opens it, which may show the browser's permission prompt. */
  readonly listen: () => void;
}

/** Bounds reopening, for example for a headset with a loose plug. */
const MAX_ATTEMPTS = 50;
/** Problems of a microphone that was opened. */
const PROBLEMS = { open: null, gone: "microphone_missing", muted: "microphone_muted", waiting: null } as const;

/**
 * Measures the selected microphone while the page shows it. The browser's prompt never appears unasked: without
 * permission the caller first presses a button. During a call the microphone is already open. A microphone that was missing
 * or refused is opened as soon as it is there or allowed.
 */
export function useLevelMeter(inCall: boolean): HeardMicrophone {
  const state = usePhone();
  const [asked, setAsked] = useState(inCall);
  const [meter, setMeter] = useState<LevelMeter | null>(null);
  const [failure, setFailure] = useState<PhoneErrorCode | null>(null);
  const isAllowed = asked || state.microphonePermission === "granted";
  const known = knownProblem(state);
  // After a failure, retry when a device is plugged in or unplugged.
  const ids = state.devices.microphones.map(({ id }) => id).join(" ");
  const [tried, setTried] = useState({ ids, times: 1 });
  if (failure !== null && tried.ids !== ids) setTried({ ids, times: tried.times + 1 });
  useEffect(() => {
    if (!isAllowed || known !== null || tried.times > MAX_ATTEMPTS) return undefined;
    let gone = false;
    let opened: LevelMeter | null = null;
    const open = async (): Promise<void> => {
      try {
        opened = await phone.openLevelMeter(createLevelMeter, (condition) => !gone && setFailure(PROBLEMS[condition]));
        if (gone) opened.close();
        else setMeter(opened);
      } catch (error) {
        if (!gone) setFailure(toPhoneError(error, "microphone_busy").code);
      }
    };
    void open();
    return () => {
      gone = true;
      opened?.close();
      setMeter(null);
      setFailure(null);
    };
  }, [isAllowed, known, tried.times]);
  const inThisCall = inCall && state.call !== null ? PROBLEMS[state.call.microphone] : null;
  return { meter, problem: inThisCall ?? known ?? failure, listen: () => setAsked(true) };
}
