import { IconMicrophone, IconVolume } from "@tabler/icons-react";
import { useEffect, useId } from "react";
import { useTranslation } from "react-i18next";
import type { AudioDevice } from "../../../phone/device/audio-devices.ts";
import { PhoneError } from "../../../phone/phone-error.ts";
import { Banner } from "../../../ui/messages/banner.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { Button } from "../../../ui/button.tsx";
import { toast } from "../../../ui/messages/toast.ts";
import FailureAdvice from "./failure-advice.tsx";
import { playTestNotes } from "./key-sounds.ts";
import { LevelBar } from "./level-bar.tsx";
import { hasAdvice } from "../phone-error-text.ts";
import { phone, usePhone } from "../phone-session.ts";
import { useLevelMeter } from "./use-level-meter.ts";
import * as fieldStyles from "../../../ui/forms/field.module.css";

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
        <Button onClick={() => playTestNotes(devices.speakerId ?? "")}>
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
  const id = useId();
  return (
    <div className={fieldStyles.field}>
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        className={fieldStyles.select}
        value={chosen ?? ""}
        onChange={(event) => onChoose(event.target.value === "" ? null : event.target.value)}
      >
        <option value="">{t("sound.systemDefault")}</option>
        {devices.map((device, index) => (
          <option key={device.id} value={device.id}>
            {device.label === "" ? t("sound.nameless", { number: index + 1 }) : device.label}
          </option>
        ))}
      </select>
    </div>
  );
}
