import type { Call } from "@farline/contract/calls.ts";
import { useQuery } from "@tanstack/react-query";
import {
  IconClipboard,
  IconDialpad,
  IconHeadphones,
  IconMicrophone,
  IconMicrophoneOff,
  IconPlayerPause,
  IconPlus,
} from "@tabler/icons-react";
import { type ComponentType, useState } from "react";
import { useTranslation } from "react-i18next";
import { formatBalance, formatCost, formatMinutes, formatRate, formatTimer } from "../../../text/format.ts";
import { balanceQuery } from "../../../service/queries.ts";
import { isFreeCall } from "@farline/domain/calls/charge.ts";
import type { PhoneCall, PhoneStatus } from "../../../phone/phone-state.ts";
import { Banner } from "../../../ui/messages/banner.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { Button } from "../../../ui/button.tsx";
import { balanceAfter, type CallCost, callSeconds, costSoFar, creditLeft, type CreditLeft } from "./call-facts.ts";
import { loadCallTopUp, loadSoundDialog, useDialogPart } from "../dialer-parts.ts";
import { classNames } from "../../../ui/class-names.ts";
import { toast } from "../../../ui/messages/toast.ts";
import { DialKeys, usePadKeyboard } from "../number/dial-keys.tsx";
import { soundKey } from "../sound/key-sounds.ts";
import { phone } from "../phone-session.ts";
import * as styles from "./call-panel.module.css";

export interface CallMoneyProps {
  readonly call: PhoneCall;
  readonly status: Exclude<PhoneStatus, "idle">;
}

/** Running cost, rate and remaining credit. After the call, the service's final charge. */
export function CallMoney({ call, status }: CallMoneyProps) {
  const { t } = useTranslation("dialer");
  const cost = costSoFar(call);
  const left = creditLeft(call);
  const isFree = call.record?.free_up_to !== undefined && isFreeCall(call.record, cost.cost);
  return (
    <div className={styles.block}>
      <dl className={styles.money}>
        <div>
          <dt>{cost.final || isFree ? t("call.cost") : t("call.estimatedCost")}</dt>
          <dd>{isFree ? t("rate.freeCall") : formatCost(cost.cost)}</dd>
        </div>
        {status === "ended" ? (
          <div>
            <dt>{t("call.duration")}</dt>
            <dd>{formatTimer(callSeconds(call))}</dd>
          </div>
        ) : (
          <div>
            <dt>{t("call.rate")}</dt>
            <dd>
              <span>{call.record === null ? "–" : formatRate(call.record.rate_per_minute)}</span>
              <span className={styles.unit}>{t("call.perMinute")}</span>
            </dd>
          </div>
        )}
      </dl>
      {left !== null && status !== "ended" && <Left call={call} cost={cost} left={left} />}
    </div>
  );
}

interface LeftProps {
  readonly call: PhoneCall;
  readonly cost: CallCost;
  readonly left: CreditLeft;
}

function Left({ call, cost, left }: LeftProps) {
  const { t } = useTranslation("dialer");
  const { data: balance } = useQuery(balanceQuery);
  const topUp = useDialogPart(loadCallTopUp);
  // Own credit does not extend a call that a family's owner pays.
  const helps = topUpHelps(call) && !balance?.family;
  const time =
    left.secondsLeft < 120
      ? t("call.secondsLeft", { seconds: left.secondsLeft })
      : t("call.minutesLeft", { minutes: formatMinutes(Math.floor(left.secondsLeft / 60)) });
  return (
    <div className={styles.left}>
      <div className="spread">
        <span>
          <strong className={classNames(styles.min, "fig")}>{time}</strong>
          <LengthLimit record={call.record} />
        </span>
        <span className={styles.balance}>
          {balance !== undefined && !balance.family && (
            <span className="muted small fig">{formatBalance(balanceAfter(balance.balance, cost), balance.currency)}</span>
          )}
          {helps && !left.low && (
            <Button pair="credit" iconOnly size="sm" aria-label={t("call.topUp")} onClick={topUp.open}>
              <Icon of={IconPlus} />
            </Button>
          )}
        </span>
      </div>
      <div className={styles.meter} role="img" aria-label={t("call.creditLeft", { percent: left.percent })}>
        <i style={{ width: `${left.percent}%` }} />
      </div>
      <div role={call.creditWarning === 15 ? "alert" : "status"}>
        {left.low && <LowCredit call={call} onTopUp={helps ? topUp.open : null} />}
      </div>
      {topUp.Part !== null && <topUp.Part open={topUp.isOpen} call={call} onClose={topUp.close} />}
    </div>
  );
}

/** Early warning, shown where the caller can act on it. */
function LowCredit({ call, onTopUp }: { readonly call: PhoneCall; readonly onTopUp: (() => void) | null }) {
  const { t } = useTranslation("dialer");
  const cause = isBoundByCredit(call) ? "low" : "limit";
  return (
    <div className={styles.low} data-low-credit="">
      <Banner kind="credit">{t(`call.${cause}${call.creditWarning ?? ""}`)}</Banner>
      {onTopUp !== null && (
        <Button pair="credit" onClick={onTopUp}>
          {t("error.topUp")}
        </Button>
      )}
    </div>
  );
}

/** Whether the call will end because of credit, or at a limit that more credit does not change. */
function isBoundByCredit({ record }: PhoneCall): boolean {
  return record?.bounded_by === undefined || record.bounded_by === "credit";
}

/** Whether credit bought now extends this call. */
function topUpHelps(call: PhoneCall): boolean {
  return isBoundByCredit(call) && call.record?.extendable !== false;
}

/** What limits the call's length, unless it is the credit. */
function LengthLimit({ record }: { readonly record: Call | null }) {
  const { t } = useTranslation("dialer");
  if (record === null) return null;
  const { bounded_by: bound = "credit", max_seconds } = record;
  if (bound === "credit") return null;
  const text =
    bound === "longest_call"
      ? t("rate.longestCall", { minutes: formatMinutes(Math.floor(max_seconds / 60)) })
      : t(`call.bound.${bound}`);
  return <span className={classNames(styles.why, "muted small")}>{text}</span>;
}

/** Number of newest digits that fit. */
const SHOWN_DIGITS = 20;

/** The message about the microphone; the next one replaces it. */
const MUTING = "muting";

export interface CallControlsProps {
  readonly call: PhoneCall;
  /** False before the answer and after the end. */
  readonly enabled: boolean;
}

/** Mute, sound devices, keypad and hold. */
export function CallControls({ call, enabled }: CallControlsProps) {
  const { t } = useTranslation("dialer");
  const [keypad, setKeypad] = useState(false);
  const sound = useDialogPart(loadSoundDialog);
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
        <Control icon={IconHeadphones} label={t("call.sound")} disabled={!enabled} onClick={sound.open} />
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
      {sound.Part !== null && <sound.Part open={sound.isOpen} inCall onClose={sound.close} />}
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
    if (!taken) toast.warning(t(`dialer-parts:paste.${taken === null ? "tooMany" : "nothing"}`));
  };
  const pasteFromClipboard = async (): Promise<void> => {
    try {
      paste(await navigator.clipboard.readText());
    } catch {
      // Refused or unsupported: pasting from a keyboard still works, and phones have none.
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
  if (phone.sendDigits(key)) soundKey(key, phone.state.devices.speakerId);
}
