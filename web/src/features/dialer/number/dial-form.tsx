import { IconBackspace, IconPhoneFilled, IconX } from "@tabler/icons-react";
import { type RefObject, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { useDebounced } from "../../../browser/use-debounced.ts";
import { useShell } from "../../../browser/shell.ts";
import { useOnline } from "../../../browser/use-online.ts";
import type { PhoneState } from "../../../phone/phone-state.ts";
import { Icon } from "../../../ui/icon.tsx";
import { Button } from "../../../ui/button.tsx";
import { toast } from "../../../ui/messages/toast.ts";
import { CallerIdLine } from "./caller-id-line.tsx";
import { hasAdvice, phoneErrorText } from "../phone-error-text.ts";
import { callFailure, FailurePanel } from "./failure-panel.tsx";
import { DialKeys, keepFocus } from "./dial-keys.tsx";
import { significantPart } from "./edit-number.ts";
import { soundKey } from "../sound/key-sounds.ts";
import { NumberField } from "./number-field.tsx";
import { RateBadge } from "../price/rate-badge.tsx";
import { TimeThere } from "../time-there/time-there-line.tsx";
import { useLongPress } from "./use-long-press.ts";
import type { CallPress } from "../price/use-call-press.ts";
import type { NumberEntry } from "./use-number-entry.ts";
import { blockingRefusal, type NumberPrice } from "../price/use-number-price.ts";
import { NumberChoices } from "./number-choices.tsx";
import { NEVER_DIALLED, useNumberChoices, useNumberProblem } from "./use-number-problem.ts";
import { usePadKeyboard } from "./use-pad-keyboard.ts";
import { Form } from "../../../ui/forms/form.tsx";
import { classNames } from "../../../ui/class-names.ts";
import * as dialPadStyles from "../../../ui/dialling/dial-pad.module.css";
import * as styles from "./dial-form.module.css";
import * as fieldStyles from "../../../ui/forms/field.module.css";
import * as buttonStyles from "../../../ui/button.module.css";

/** Delay before a loading message replaces the price. */
const SLOW_PRICE_MS = 700;

interface DialFormProps {
  readonly state: PhoneState;
  readonly entry: NumberEntry;
  readonly price: NumberPrice;
  readonly call: CallPress;
  readonly input: RefObject<HTMLInputElement | null>;
  readonly callButton: RefObject<HTMLButtonElement | null>;
}

/** Number, price, pad and call button. */
export function DialForm({ state, entry, price, call, input, callButton }: DialFormProps) {
  const { t } = useTranslation("dialer");
  const online = useOnline();
  const shell = useShell();
  const id = useId();
  const [refused, setRefused] = useState<string | null>(null);
  const asked = `${entry.countryCode} ${entry.text}`;
  const problem = useNumberProblem(entry, refused === asked);
  const choices = useNumberChoices(entry, refused === asked);
  const empty = significantPart(entry.text) === "";
  const calling = state.status !== "idle";
  const isRefused = price.state === "refused" || (price.state === "quoted" && blockingRefusal(price.quote) !== null);
  const isAsking = price.state === "asking";
  const isSlow = useDebounced(isAsking, SLOW_PRICE_MS) && isAsking;
  const failure = callFailure(state);
  const isMissing = failure?.code === "microphone_missing" && state.error === null;
  const hasNewPrice = state.error !== null && state.error.price !== null;
  // Not every browser lists a microphone before it was opened, so the price stays.
  const isPanel = online && failure !== null && !hasNewPrice && (empty || !isMissing);
  const note = problem ?? (isMissing ? phoneErrorText(failure) : null);
  const isNeverDialled = entry.number?.ok === false && NEVER_DIALLED.has(entry.number.problem);
  const press = (key: string): void => {
    soundKey(key);
    entry.press(key);
  };
  const dial = (): void => {
    if (calling || !online) return;
    if (empty) return toast.warning(t("problem.empty"));
    if (entry.number?.ok === false) return setRefused(asked);
    call.press();
  };
  usePadKeyboard({ onKey: press, onDelete: entry.deleteLast, onEnter: dial, onEscape: entry.clear });
  return (
    <Form className={classNames(dialPadStyles.dial, styles.form)} onSubmit={dial}>
      <NumberField
        entry={entry}
        input={input}
        problemId={problem === null ? undefined : `${id}-problem`}
        // A disabled button stops Enter from submitting; say why nothing happens.
        onEnter={() => {
          if (empty) toast.warning(t("problem.empty"));
          else if (isNeverDialled) setRefused(asked);
        }}
      />
      <div className={classNames(styles.about, isPanel && hasAdvice(failure.code) && styles.advice)}>
        <div className={styles.say}>
          {!online ? (
            <p className={fieldStyles.hint} role="status">
              {t("offline")}
            </p>
          ) : isPanel ? (
            <FailurePanel error={failure} entry={entry} />
          ) : choices !== null ? (
            <NumberChoices entry={entry} choices={choices} />
          ) : (
            <>
              {note !== null && (
                <p className={fieldStyles.error} id={`${id}-problem`} role="alert">
                  {note}
                </p>
              )}
              {(problem === null || entry.number?.ok === true) && (
                <RateBadge entry={entry} price={price} priceIsHigher={call.priceIsHigher || hasNewPrice} terse={note !== null} />
              )}
            </>
          )}
        </div>
        {!isPanel && (
          <div className={styles.facts}>
            <TimeThere entry={entry} />
            <CallerIdLine />
          </div>
        )}
      </div>
      <DialKeys plus onKey={press} />
      <div className={styles.actions} inert={shell}>
        <Button className={styles.side} onMouseDown={keepFocus} onClick={entry.clear}>
          <Icon of={IconX} />
          <span>{t("clear")}</span>
        </Button>
        <Button
          ref={callButton}
          pair="call"
          size="lg"
          type="submit"
          disabled={!calling && (empty || isRefused || isNeverDialled || !online || state.obstacle !== null)}
          aria-disabled={isAsking || undefined}
          busy={calling || call.waiting}
        >
          {!calling && !call.waiting && <Icon of={IconPhoneFilled} />}
          <span>{calling ? t("calling") : call.waiting || isSlow ? t("gettingPrice") : t("callNow")}</span>
        </Button>
        <DeleteButton entry={entry} />
      </div>
    </Form>
  );
}

/** Deletes the last digit; a long press deletes the whole number. */
function DeleteButton({ entry }: { readonly entry: NumberEntry }) {
  const { t } = useTranslation("dialer");
  return (
    <button
      type="button"
      className={classNames(buttonStyles.btn, styles.side)}
      onMouseDown={keepFocus}
      {...useLongPress(entry.deleteLast, entry.clear)}
    >
      <Icon of={IconBackspace} />
      <span>{t("delete")}</span>
    </button>
  );
}
