import { IconBackspace, IconClock, IconMoon, IconPhoneFilled, IconUserScan, IconX } from "@tabler/icons-react";
import { type RefObject, Suspense, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { countryByCode } from "@farline/domain/countries/countries.ts";
import { hasSeveralClocks, timeZoneOf } from "@farline/domain/countries/time-zones.ts";
import type { NumberChoice } from "@farline/domain/numbers/number-plans.ts";
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { useDebounced, useMinute } from "../../../time/use-now.ts";
import { useShell, useOnline } from "../../../browser/page-hooks.ts";
import type { PhoneState } from "../../../phone/phone-state.ts";
import { Icon } from "../../../ui/icon.tsx";
import { Button } from "../../../ui/button.tsx";
import { toast } from "../../../ui/messages/toast.ts";
import { PlaceTime } from "../dialer-parts.ts";
import { hasAdvice, phoneErrorText } from "../phone-session.ts";
import { callFailure, FailurePanel, NEVER_DIALLED, useFormerText, useNumberChoices, useNumberProblem } from "./call-problems.tsx";
import { DialKeys, keepFocus, useLongPress, usePadKeyboard } from "./dial-keys.tsx";
import { significantPart } from "./edit-number.ts";
import { soundKey } from "../sound/key-sounds.ts";
import { NumberField } from "./number-field.tsx";
import { RateBadge } from "../price/rate-badge.tsx";
import { blockingRefusal, type CallPress, type NumberPrice } from "../price/number-price.ts";
import type { NumberEntry } from "./use-number-entry.ts";
import { Form } from "../../../ui/forms/form.tsx";
import { classNames } from "../../../ui/class-names.ts";
import { NumberQuestion } from "../../../ui/forms/number-question.tsx";
import { useNumberText } from "../call-intent.ts";
import { timeThere } from "../../../text/time-there.ts";
import { callerIdQuery } from "../../../service/queries.ts";
import { writeNumber } from "../../../text/phone-text.ts";
import * as diallingStyles from "../../../ui/dialling/dialling.module.css";
import * as styles from "./dial-form.module.css";
import * as fieldStyles from "../../../ui/forms/field.module.css";
import * as buttonStyles from "../../../ui/button.module.css";
import { countryName } from "../../../text/i18n.ts";

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
  const own = useNumberChoices(entry, refused === asked);
  // The service's number tables are larger, so it recognises more numbers of former plans.
  const served = price.state === "refused" ? price.choices : undefined;
  const choices = own ?? served?.map(({ number, country_code }) => ({ e164: number, countryCode: country_code })) ?? null;
  // A word on the keys is shown as the digits that are dialled.
  const spelled = entry.number?.ok === true && /[a-z]/i.test(entry.text) ? entry.number.e164 : null;
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
    <Form className={classNames(diallingStyles.dial, styles.form)} onSubmit={dial}>
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
            <NumberChoices
              entry={entry}
              choices={choices}
              about={own === null && price.state === "refused" ? price.reason : null}
            />
          ) : (
            <>
              {spelled !== null && <p className={fieldStyles.hint}>{writeNumber(spelled)}</p>}
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
            <TimeThere entry={entry} price={price} />
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

interface NumberChoicesProps {
  readonly entry: NumberEntry;
  readonly choices: readonly NumberChoice[];
  /** What the service says of the number. */
  readonly about: string | null;
}

/** Asks which number the digits mean. The chosen number replaces them, in international format. */
function NumberChoices({ entry, choices, about }: NumberChoicesProps) {
  const { t } = useTranslation("common");
  const write = useNumberText();
  const former = useFormerText(entry) ?? about;
  const ask = t(choices.length > 1 ? "numberQuestion.which" : "numberQuestion.this");
  return (
    <NumberQuestion
      question={former === null ? ask : `${former} ${ask}`}
      choices={choices.map(({ e164, countryCode }) => ({
        e164,
        text: write(e164),
        country: countryName(countryCode, countryByCode(countryCode)?.name ?? countryCode),
      }))}
      onChoose={(e164) => entry.enter({ number: e164 + (entry.extension.text ?? "") })}
    />
  );
}

/** The local time at the destination. At night, once a number is entered, the sentence says so. */
function TimeThere({ entry, price }: { readonly entry: NumberEntry; readonly price: NumberPrice }) {
  const { t } = useTranslation("dialer");
  const country = entry.destination ?? "";
  const timeZone = (price.state === "quoted" ? price.quote.time_zone : null) ?? timeZoneOf(country);
  const there = timeThere(timeZone, useMinute());
  // The build does not know when its page is read.
  if (useShell() || there === null) return null;
  const { time } = there;
  const night = there.night && entry.text !== "";
  return (
    <p className={styles.clockline} data-night={night || undefined}>
      <Icon of={night ? IconMoon : IconClock} />
      <span className="fig">
        {hasSeveralClocks(country) ? (
          <Suspense>
            <PlaceTime countryCode={country} timeZone={timeZone ?? ""} time={time} night={night} />
          </Suspense>
        ) : night ? (
          t("there.night", { time })
        ) : (
          t("there.time", { time })
        )}
      </span>
    </p>
  );
}

/** The number that the called person sees, with a link to choose another. */
function CallerIdLine() {
  const { t } = useTranslation("dialer");
  const { data: callerId } = useQuery(callerIdQuery);
  // Reserves its height, so that the pad does not move when the number arrives.
  if (callerId === undefined) return <span className={styles.shownline} />;
  const number = writeNumber(callerId.shown);
  const sentence = t("callerId.shown", { number });
  return (
    <Link className={classNames(styles.shownline, "fig")} to="/account" aria-label={sentence}>
      <Icon of={IconUserScan} />
      <span className={styles.sentence}>{sentence}</span>
      <span className={styles.callerNumber}>{number}</span>
    </Link>
  );
}
