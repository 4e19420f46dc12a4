import { IconDialpad, IconMicrophone, IconMicrophoneOff, IconPlayerPause, IconPlayerPlay } from "@tabler/icons-react";
import { type ComponentType, useState } from "react";
import { useTranslation } from "react-i18next";
import type { PhoneCall } from "../../phone/phone-state.ts";
import { Icon } from "../../ui/icon.tsx";
import { toast } from "../../ui/toast.ts";
import { DialKeys } from "./dial-keys.tsx";
import { phone } from "./phone-session.ts";
import { usePadKeyboard } from "./use-pad-keyboard.ts";

/** As many as fit; the newest are the ones that matter. */
const SHOWN_DIGITS = 20;

interface CallControlsProps {
  readonly call: PhoneCall;
  /** False until somebody answers and after the end. */
  readonly enabled: boolean;
}

/** Mute, keypad and hold. */
export function CallControls({ call, enabled }: CallControlsProps) {
  const { t } = useTranslation("dialer");
  const [keypad, setKeypad] = useState(false);
  const open = keypad && enabled;
  const mute = (): void => {
    const muted = phone.toggleMute();
    if (muted !== null) toast.success(muted ? t("toast.muted") : t("toast.unmuted"));
  };
  const hold = async (): Promise<void> => {
    if (!(await phone.toggleHold())) toast.warning(t("call.holdFailed"));
  };
  return (
    <>
      {open && <Keypad digits={call.digits} />}
      <div className="call__controls">
        <Control
          icon={call.muted ? IconMicrophoneOff : IconMicrophone}
          label={t(call.muted ? "call.muted" : "call.mute")}
          pressed={call.muted}
          disabled={!enabled}
          onClick={mute}
        />
        <Control
          icon={IconDialpad}
          label={t("call.keypad")}
          pressed={open}
          expands
          disabled={!enabled}
          onClick={() => setKeypad(!keypad)}
        />
        <Control
          icon={call.held ? IconPlayerPlay : IconPlayerPause}
          label={t(call.held ? "call.resume" : "call.hold")}
          pressed={call.held}
          disabled={!enabled || call.reconnecting}
          onClick={() => void hold()}
        />
      </div>
    </>
  );
}

interface ControlProps {
  readonly icon: ComponentType;
  readonly label: string;
  readonly pressed: boolean;
  readonly disabled: boolean;
  /** The key opens something. */
  readonly expands?: boolean;
  readonly onClick: () => void;
}

function Control({ icon, label, pressed, disabled, expands = false, onClick }: ControlProps) {
  return (
    <button
      type="button"
      className="ctl"
      aria-pressed={pressed}
      aria-expanded={expands ? pressed : undefined}
      disabled={disabled}
      onClick={onClick}
    >
      <Icon of={icon} />
      {label}
    </button>
  );
}

/** Digits for the menus of banks and offices. What was sent stays in sight. */
function Keypad({ digits }: { readonly digits: string }) {
  const { t } = useTranslation("dialer");
  usePadKeyboard({ onKey: sendDigit });
  return (
    <div className="incall__pad">
      <p className="incall__digits fig" dir="ltr">
        <span className="sr-only">{t("call.digits")} </span>
        <span>{digits === "" ? "\u00a0" : digits.slice(-SHOWN_DIGITS)}</span>
      </p>
      <DialKeys onKey={sendDigit} />
    </div>
  );
}

function sendDigit(key: string): void {
  phone.sendDigits(key);
}
