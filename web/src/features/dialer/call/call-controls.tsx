import {
  IconClipboard,
  IconDialpad,
  IconHeadphones,
  IconMicrophone,
  IconMicrophoneOff,
  IconPlayerPause,
} from "@tabler/icons-react";
import { type ComponentType, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { loadTexts } from "../../../text/i18n.ts";
import type { PhoneCall } from "../../../phone/phone-state.ts";
import { Icon } from "../../../ui/icon.tsx";
import { Button } from "../../../ui/button.tsx";
import { toast } from "../../../ui/messages/toast.ts";
import { DialKeys } from "../number/dial-keys.tsx";
import { soundKey } from "../sound/key-sounds.ts";
import { SoundDialog } from "../dialer-parts.ts";
import { phone } from "../phone-session.ts";
import { usePadKeyboard } from "../number/use-pad-keyboard.ts";
import { classNames } from "../../../ui/class-names.ts";
import * as styles from "./call-controls.module.css";

/** Number of newest digits that fit. */
const SHOWN_DIGITS = 20;

/** The message about the microphone; the next one replaces it. */
const MUTING = "muting";

interface CallControlsProps {
  readonly call: PhoneCall;
  /** False before the answer and after the end. */
  readonly enabled: boolean;
}

/** Mute, sound devices, keypad and hold. */
export function CallControls({ call, enabled }: CallControlsProps) {
  const { t } = useTranslation("dialer");
  const [keypad, setKeypad] = useState(false);
  const [sound, setSound] = useState<"never" | "closed" | "open">("never");
  const open = keypad && enabled;
  const mute = (): void => {
    const muted = phone.toggleMute();
    if (muted !== null) toast.success(muted ? t("toast.muted") : t("toast.unmuted"), MUTING);
  };
  const hold = async (): Promise<void> => {
    if (!(await phone.toggleHold())) toast.warning(t("call.holdFailed"));
  };
  return (
    <>
      {open && <Keypad digits={call.digits} />}
      <div className={styles.controls}>
        <Control
          icon={call.muted ? IconMicrophoneOff : IconMicrophone}
          label={t("call.mute")}
          pressed={call.muted}
          disabled={!enabled}
          onClick={mute}
        />
        <Control icon={IconHeadphones} label={t("call.sound")} disabled={!enabled} onClick={() => setSound("open")} />
        <Control
          icon={IconDialpad}
          label={t("call.keypad")}
          expanded={open}
          disabled={!enabled}
          onClick={() => setKeypad(!keypad)}
        />
        <Control
          icon={IconPlayerPause}
          label={t("call.hold")}
          pressed={call.held}
          disabled={!enabled || call.reconnecting}
          onClick={() => void hold()}
        />
      </div>
      {sound !== "never" && (
        <Suspense fallback={null}>
          <SoundDialog open={sound === "open"} inCall onClose={() => setSound("closed")} />
        </Suspense>
      )}
    </>
  );
}

interface ControlProps {
  readonly icon: ComponentType;
  readonly label: string;
  /** Omitted for a button that has no on/off state. */
  readonly pressed?: boolean;
  /** Omitted for a button that opens no part of the page. */
  readonly expanded?: boolean;
  readonly disabled: boolean;
  readonly onClick: () => void;
}

function Control({ icon, label, pressed, expanded, disabled, onClick }: ControlProps) {
  return (
    <button
      type="button"
      className={styles.ctl}
      aria-pressed={pressed}
      aria-expanded={expanded}
      disabled={disabled}
      onClick={onClick}
    >
      <Icon of={icon} />
      <span>{label}</span>
    </button>
  );
}

/** Digits for voice menus, pressed, typed or pasted. The digits sent stay visible. */
function Keypad({ digits }: { readonly digits: string }) {
  const { t } = useTranslation(["dialer", "dialer-parts"]);
  const paste = (text: string): void => {
    const taken = phone.sendDigits(text);
    if (taken === "") toast.warning(t("call.nothingToPaste"));
  };
  const pasteFromClipboard = async (): Promise<void> => {
    try {
      paste(await navigator.clipboard.readText());
    } catch {
      // Refused or unsupported: pasting from a keyboard still works, and phones have none.
      await loadTexts("dialer-parts");
      toast.info(t(`dialer-parts:paste.${matchMedia("(pointer: coarse)").matches ? "refused" : "keys"}`));
    }
  };
  usePadKeyboard({ onKey: sendDigit, onPaste: paste });
  return (
    <div className={styles.pad} data-keypad="">
      <div className={styles.sent}>
        <p className={classNames(styles.digits, "fig")} dir="ltr">
          <span className="sr-only">{t("call.digits")} </span>
          <span>{digits === "" ? "\u00a0" : digits.slice(-SHOWN_DIGITS)}</span>
        </p>
        <Button size="sm" onClick={() => void pasteFromClipboard()}>
          <Icon of={IconClipboard} />
          <span>{t("call.paste")}</span>
        </Button>
      </div>
      <DialKeys onKey={sendDigit} />
    </div>
  );
}

function sendDigit(key: string): void {
  if (phone.sendDigits(key) !== "") soundKey(key);
}
