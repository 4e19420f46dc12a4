import { IconMicrophone, IconVolume } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { AudioDevice } from "../../../phone/device/audio-devices.ts";
import { PhoneError, type PhoneErrorCode, toPhoneError } from "../../../phone/phone-error.ts";
import { Banner } from "../../../ui/messages/banner.tsx";
import { SelectField } from "../../../ui/forms/form-fields.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { Button } from "../../../ui/button.tsx";
import { toast } from "../../../ui/messages/toast.ts";
import { FailureAdvice } from "./call-advice.tsx";
import { playTestNotes } from "./key-sounds.ts";
import { hasAdvice, phone, usePhone } from "../phone-session.ts";
import { createLevelMeter, type LevelMeter } from "../../../phone/device/level-meter.ts";
import { knownProblem } from "../../../phone/phone-state.ts";
import * as fieldStyles from "../../../ui/forms/field.module.css";
import * as styles from "../dialer-parts.module.css";

/** Selects microphone and speaker, and shows the microphone level. Changes take effect at once, also during a call. */
export function DeviceChoice({ inCall }: { readonly inCall: boolean }) {
  const { t } = useTranslation("dialer-parts");
  const { devices, call } = usePhone();
  useEffect(() => void phone.refreshDevices(), []);
  const choose = async (change: Promise<boolean>): Promise<void> => {
    if (!(await change)) toast.warning(t("sound.notNow"));
  };
  return (
    <>
      <DeviceSelect
        label={t("sound.microphone")}
        devices={devices.microphones}
        chosen={devices.microphoneId}
        onChoose={(id) => void choose(phone.setMicrophone(id))}
      />
      <MicrophoneTest key={`${devices.microphoneId} ${call?.microphone}`} inCall={inCall} />
      {devices.canChooseSpeaker && (
        <DeviceSelect
          label={t("sound.speaker")}
          devices={devices.speakers}
          chosen={devices.speakerId}
          onChoose={(id) => void choose(phone.setSpeaker(id))}
        />
      )}
      {!inCall && (
        <Button onClick={() => playTestNotes(devices.speakerId)}>
          <Icon of={IconVolume} />
          <span>{t("sound.play")}</span>
        </Button>
      )}
    </>
  );
}

/** Requests microphone permission if needed, then shows the level. */
function MicrophoneTest({ inCall }: { readonly inCall: boolean }) {
  const { t } = useTranslation(["dialer-parts", "dialer"]);
  const { meter, problem, listen } = useLevelMeter(inCall);
  if (problem !== null)
    return (
      <Banner kind="error">
        <p>{t(`dialer:error.${problem}`)}</p>
        {hasAdvice(problem) && <FailureAdvice error={new PhoneError(problem)} />}
      </Banner>
    );
  if (meter !== null) return <LevelBar meter={meter} />;
  return (
    <>
      <Button pair="action" onClick={listen}>
        <Icon of={IconMicrophone} />
        <span>{t("sound.allow")}</span>
      </Button>
      <p className={fieldStyles.hint}>{t("sound.allowText")}</p>
    </>
  );
}

interface DeviceSelectProps {
  readonly label: string;
  readonly devices: readonly AudioDevice[];
  readonly chosen: string | null;
  readonly onChoose: (id: string | null) => void;
}

function DeviceSelect({ label, devices, chosen, onChoose }: DeviceSelectProps) {
  const { t } = useTranslation("dialer-parts");
  return (
    <SelectField label={label} value={chosen ?? ""} onChange={(event) => onChoose(event.target.value || null)}>
      <option value="">{t("sound.systemDefault")}</option>
      {devices.map((device, index) => (
        <option key={device.id} value={device.id}>
          {device.label === "" ? t("sound.nameless", { number: index + 1 }) : device.label}
        </option>
      ))}
    </SelectField>
  );
}

/** Above this level, somebody is speaking. */
const SPEECH_LEVEL = 0.35;

/** The microphone level as a bar, with a text once speech was detected. */
function LevelBar({ meter }: { readonly meter: LevelMeter }) {
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
function useLevelMeter(inCall: boolean): HeardMicrophone {
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
