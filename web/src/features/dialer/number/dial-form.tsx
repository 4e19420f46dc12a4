import { IconBackspace, IconPhoneFilled, IconX } from "@tabler/icons-react";
import { type ReactNode, type RefObject, Suspense, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { useDebounced } from "../../../time/use-now.ts";
import { useShell, useOnline } from "../../../browser/page-hooks.ts";
import type { PhoneState } from "../../../phone/phone-state.ts";
import { Icon } from "../../../ui/icon.tsx";
import { Button } from "../../../ui/button.tsx";
import { toast } from "../../../ui/messages/toast.ts";
import { phoneErrorText } from "../phone-session.ts";
import { callFailure, FailurePanel, NEVER_DIALLED, useFormerText, useNumberChoices, useNumberProblem } from "./call-problems.tsx";
import { DialKeys, keepFocus, useLongPress, usePadKeyboard } from "./dial-keys.tsx";
import { significantPart } from "./edit-number.ts";
import { soundKey } from "../sound/key-sounds.ts";
import { NumberField } from "./number-field.tsx";
import { SuggestionList, type Suggestions } from "./suggestions.tsx";
import { Board } from "../price/board.tsx";
import { ConfirmEmail, NumberChoices } from "../dialer-parts.ts";
import { blockingRefusal, type CallPress, type NumberPrice, useConfirmFirst } from "../price/number-price.ts";
import type { NumberEntry } from "./use-number-entry.ts";
import { Form } from "../../../ui/forms/form.tsx";
import { classNames } from "../../../ui/class-names.ts";
import { writeNumber } from "../../../text/phone-text.ts";
import * as diallingStyles from "../../../ui/dialling/dialling.module.css";
import * as styles from "./dial-form.module.css";
import * as fieldStyles from "../../../ui/forms/field.module.css";
import * as buttonStyles from "../../../ui/button.module.css";

/** Delay before a loading message replaces the price. */
const SLOW_PRICE_MS = 700;

interface Dialling {
  readonly state: PhoneState;
  readonly entry: NumberEntry;
  readonly price: NumberPrice;
  readonly call: CallPress;
}

/** What the number in the field means, and what hinders its call. */
type DialState = ReturnType<typeof useDialState>;

/** Reads the number in the field for the board, which explains it, and for the form, which dials it. */
export function useDialState({ state, entry, price, call }: Dialling) {
  const online = useOnline();
  const id = useId();
  const [refused, setRefused] = useState<string | null>(null);
  const asked = `${entry.countryCode} ${entry.text}`;
  const problem = useNumberProblem(entry, refused === asked);
  const own = useNumberChoices(entry, refused === asked);
  const former = useFormerText(entry);
  const confirmFirst = useConfirmFirst(price);
  // The service's number tables are larger, so it recognises more numbers of former plans.
  const served = price.state === "refused" ? price.choices : undefined;
  const choices = own ?? served?.map(({ number, country_code }) => ({ e164: number, countryCode: country_code })) ?? null;
  const empty = significantPart(entry.text) === "";
  const failure = callFailure(state);
  const isMissing = failure?.code === "microphone_missing" && state.error === null;
  const hasNewPrice = state.error !== null && state.error.price !== null;
  return {
    online,
    empty,
    problem,
    problemId: problem === null ? undefined : `${id}-problem`,
    choices,
    /** What is said of a number with choices. */
    about: former ?? (own === null && price.state === "refused" ? price.reason : null),
    confirmFirst,
    boardId: `${id}-board`,
    failure,
    isMissing,
    priceIsHigher: call.priceIsHigher || hasNewPrice,
    // Not every browser lists a microphone before it was opened, so the price stays.
    isPanel: failure !== null && !hasNewPrice && (empty || !isMissing) && confirmFirst === null,
    isRefused: price.state === "refused" || (price.state === "quoted" && blockingRefusal(price.quote) !== null),
    isNeverDialled: entry.number?.ok === false && NEVER_DIALLED.has(entry.number.problem),
    refuse: () => setRefused(asked),
  };
}

interface NumberBoardProps {
  readonly entry: NumberEntry;
  readonly price: NumberPrice;
  readonly dial: DialState;
  readonly suggestions: Suggestions;
}

/** Above the pad, in the place of the people once a number is entered: its price, a question about it, or what is wrong. */
export function NumberBoard({ entry, price, dial, suggestions }: NumberBoardProps) {
  return (
    <div className={styles.about} id={dial.boardId}>
      <About {...{ entry, price, dial }} />
      <SuggestionList suggestions={suggestions} />
    </div>
  );
}

function About({ entry, price, dial }: Omit<NumberBoardProps, "suggestions">): ReactNode {
  const { t } = useTranslation("dialer");
  const { failure, problem, choices, isMissing, confirmFirst } = dial;
  // A word on the keys is shown as the digits that are dialled.
  const spelled = entry.number?.ok === true && /[a-z]/i.test(entry.text) ? entry.number.e164 : null;
  if (!dial.online)
    return (
      <p className={styles.card} role="status">
        {t("offline")}
      </p>
    );
  if (dial.isPanel && failure !== null) return <FailurePanel error={failure} entry={entry} />;
  if (choices !== null)
    return (
      <Suspense fallback={null}>
        <NumberChoices entry={entry} choices={choices} about={dial.about} />
      </Suspense>
    );
  if (confirmFirst !== null)
    return (
      <Suspense fallback={null}>
        <ConfirmEmail seconds={confirmFirst} />
      </Suspense>
    );
  const note = problem ?? (isMissing && failure !== null ? phoneErrorText(failure) : null);
  return (
    <>
      {spelled !== null && <p className={fieldStyles.hint}>{writeNumber(spelled)}</p>}
      {note !== null && (
        <p className={classNames(fieldStyles.error, styles.card)} id={dial.problemId} role="alert">
          {note}
        </p>
      )}
      {(problem === null || entry.number?.ok === true) && (
        <Board entry={entry} price={price} priceIsHigher={dial.priceIsHigher} terse={note !== null} />
      )}
    </>
  );
}

interface DialFormProps extends Dialling {
  readonly dial: DialState;
  readonly suggestions: Suggestions;
  readonly input: RefObject<HTMLInputElement | null>;
  readonly callButton: RefObject<HTMLButtonElement | null>;
}

/** Number, pad and call button: nothing that is said moves them. */
export function DialForm({ state, entry, price, call, dial, suggestions, input, callButton }: DialFormProps) {
  const { t } = useTranslation("dialer");
  const shell = useShell();
  const { empty, online, confirmFirst, isNeverDialled } = dial;
  const calling = state.status !== "idle";
  const isAsking = price.state === "asking";
  const isSlow = useDebounced(isAsking, SLOW_PRICE_MS) && isAsking;
  const press = (key: string): void => {
    soundKey(key, state.devices.speakerId);
    entry.press(key);
  };
  const submit = (): void => {
    if (calling || !online || confirmFirst !== null) return;
    if (empty) return toast.warning(t("problem.empty"));
    if (entry.number?.ok === false) return dial.refuse();
    call.press();
  };
  usePadKeyboard({ onKey: press, onDelete: entry.deleteLast, onEnter: submit, onEscape: entry.clear });
  const isBlocked = empty || dial.isRefused || isNeverDialled || !online || state.obstacle !== null || confirmFirst !== null;
  return (
    <Form className={classNames(diallingStyles.dial, styles.form)} onSubmit={submit}>
      <NumberField
        entry={entry}
        input={input}
        problemId={dial.problemId}
        suggestions={suggestions}
        // A disabled button stops Enter from submitting; say why nothing happens.
        onEnter={() => {
          if (empty) toast.warning(t("problem.empty"));
          else if (isNeverDialled) dial.refuse();
        }}
      />
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
          disabled={!calling && isBlocked}
          aria-disabled={isAsking || undefined}
          aria-describedby={confirmFirst === null ? undefined : dial.boardId}
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
