import type { Call } from "@farline/contract/calls.ts";
import { countryByCode } from "@farline/domain/countries/countries.ts";
import { MAX_NUMBER_TEXT_LENGTH } from "@farline/domain/numbers/number-text.ts";
import { useQuery } from "@tanstack/react-query";
import { IconHeadphones } from "@tabler/icons-react";
import { type RefObject, Suspense, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router";
import { carryNumber, forgetCarriedNumber, readCarriedNumber } from "../../browser/carried-number.ts";
import { takeDrawnNumber } from "../../browser/drawn-page.ts";
import { useTitle, useOnline, useShell } from "../../browser/page-hooks.ts";
import { userQuery } from "../../service/queries.ts";
import { leavingFor } from "../../session/log-out.ts";
import { takeRequestedCall } from "../../session/requested-call.ts";
import type { PhoneState } from "../../phone/phone-state.ts";
import { Icon } from "../../ui/icon.tsx";
import { Button } from "../../ui/button.tsx";
import { soundTrouble } from "./call/call-facts.ts";
import { CallView, prepareCall } from "./call/call-view.tsx";
import { DialForm, NumberBoard, useDialState } from "./number/dial-form.tsx";
import { useSuggestions } from "./number/suggestions.tsx";
import { callFailure, FailurePanel } from "./number/call-problems.tsx";
import { ImportButton, useLocalBook } from "./import/local-book.tsx";
import { followCalls, phone, usePhone } from "./phone-session.ts";
import { OpenCallCard } from "./call/open-call-card.tsx";
import { People } from "./people.tsx";
import {
  type CallPress,
  type NumberPrice,
  type PriceText,
  useCallPress,
  useNumberPrice,
  useUsualPrice,
  type WaitingPress,
} from "./price/number-price.ts";
import { type FilledNumber, type NumberEntry, useNumberEntry } from "./number/use-number-entry.ts";
import { useCallIntent } from "./call-intent.ts";
import { whenIdle } from "../../browser/page-life.ts";
import {
  AfterCall,
  ImportedContacts,
  loadSoundDialog,
  MoreHelp,
  prepareAfterCall,
  Tutorial,
  useDialogPart,
} from "./dialer-parts.ts";
import { classNames } from "../../ui/class-names.ts";
import { SkeletonRows } from "../../ui/waiting/skeleton.tsx";
import { readSetting, writeSetting } from "../../browser/storage.ts";
import { after } from "../../time/timers.ts";
import * as styles from "./dialer-page.module.css";
import * as cardStyles from "../../ui/card.module.css";

/** Of URL parameters. A cut text would end in another number, so one that is too long stays too long. */
const MAX_NUMBER_CHARS = MAX_NUMBER_TEXT_LENGTH + 1;
const MAX_NAME_CHARS = 100;
/** The page comes first; then it asks whether calls can work. */
const CHECK_WITHIN_MS = 1500;

/** The dialer and, during a call, the call view. */
export function DialerPage() {
  const state = usePhone();
  const input = useRef<HTMLInputElement>(null);
  const [press, setPress] = useState<WaitingPress | null>(null);
  const entry = useNumberEntry(input, () => {
    dismissFailure();
    setPress(null);
  });
  const price = useNumberPrice(entry, press !== null || entry.isFilled);
  const call = useCallPress({ entry, price, usual: useUsualPrice(entry).price, press, setPress });
  const callShown = useCallShown(state);
  const [hadCall, setHadCall] = useState(false);
  usePreparedPhone();
  useNumberFromAddress(entry);
  useCarriedNumber(entry);
  useShellNumber(entry, input);
  useRequestedCall(callAtPrice(entry, call));
  if ((callShown || state.rejoinable !== null || state.elsewhere !== null) && !hadCall) setHadCall(true);
  useEffect(() => {
    if (callShown) prepareAfterCall();
  }, [callShown]);
  if (callShown && state.call !== null) return <CallView call={state.call} status={state.status} trouble={soundTrouble(state)} />;
  return <DialView state={state} entry={entry} price={price} call={call} input={input} afterCall={hadCall} />;
}

interface DialViewProps {
  readonly state: PhoneState;
  readonly entry: NumberEntry;
  readonly price: NumberPrice;
  readonly call: CallPress;
  readonly input: RefObject<HTMLInputElement | null>;
  /** A call was shown here: when it is over, its sheet may take the pad's place, or the number field or the call button the focus. */
  readonly afterCall: boolean;
}

function DialView({ state, entry, price, call, input, afterCall }: DialViewProps) {
  const dialAt = callAtPrice(entry, call);
  const { t } = useTranslation("dialer");
  const callButton = useRef<HTMLButtonElement>(null);
  const { lastCall } = state;
  const openCall = state.rejoinable ?? state.elsewhere;
  // A call that ended while the page was reloaded does not take the pad away from under a number that is being entered.
  const isEntering = !afterCall && entry.text !== "" && !isCalled(entry);
  const ended = openCall === null && !isEntering && lastCall?.callId ? lastCall : null;
  const failure = openCall === null ? null : callFailure(state);
  const dial = useDialState({ state, entry, price, call });
  const suggestions = useSuggestions(entry);
  const isTyping = entry.text !== "" || dial.isPanel || !dial.online;
  const padBack = (): void => {
    phone.dismissLastCall();
    // The pad is drawn in the render that follows.
    requestAnimationFrame(() => initialFocus(input.current, callButton.current)?.focus({ preventScroll: true }));
  };
  useTitle(t("title"));
  useEffect(() => {
    if (afterCall && ended === null) initialFocus(input.current, callButton.current)?.focus({ preventScroll: true });
    // Once, when the call's view closes.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [afterCall, input]);
  return (
    <div className={styles.dialer} data-typing={(isTyping && ended === null && openCall === null) || undefined}>
      <h1 className="sr-only">{t("title")}</h1>
      <DialSide
        {...{ entry, input, callButton, dialAt }}
        isAsked={ended === null && openCall === null && dial.confirmFirst !== null}
      />
      {ended === null && openCall === null && <NumberBoard {...{ entry, price, dial, suggestions }} />}
      <section className={classNames(cardStyles.card, styles.pad)} aria-label={t("pad")}>
        {failure !== null && <FailurePanel error={failure} />}
        {openCall !== null ? (
          <OpenCallCard
            where={state.rejoinable === null ? "elsewhere" : "rejoin"}
            movable={state.movable !== null}
            call={openCall}
            keptUntil={state.keptUntil}
          />
        ) : (
          ended === null && <DialForm {...{ state, entry, price, call, dial, suggestions, input, callButton }} />
        )}
        {ended !== null && (
          <Suspense fallback={null}>
            <AfterCall
              key={ended.callId}
              call={ended}
              onAgain={(last) => {
                phone.dismissLastCall();
                dialAt(numberOf(last), last);
              }}
              onKey={(key) => {
                padBack();
                entry.enter({ number: key, countryCode: entry.countryCode });
              }}
              onClose={padBack}
            />
          </Suspense>
        )}
      </section>
      <FirstSteps quiet={afterCall || openCall !== null} />
    </div>
  );
}

interface DialSideProps {
  readonly entry: NumberEntry;
  readonly input: RefObject<HTMLInputElement | null>;
  readonly callButton: RefObject<HTMLButtonElement | null>;
  readonly dialAt: DialAtPrice;
  readonly isAsked: boolean;
}

/** What the caller looks at: the people, and below them what helps to begin. On a phone the board takes its place while a number is entered. */
function DialSide({ entry, input, callButton, dialAt, isAsked }: DialSideProps) {
  const { t } = useTranslation("dialer");
  const book = useLocalBook();
  const bring = (filled: FilledNumber): void => {
    entry.enter(filled);
    returnToTop();
    // The button becomes enabled in the render that follows the number.
    requestAnimationFrame(() => callButton.current?.focus({ preventScroll: true }));
  };
  return (
    <div className={classNames(styles.side, "stack")} inert={useShell()}>
      <People
        onCall={dialAt}
        isAsked={isAsked}
        actions={
          <>
            <SoundButton />
            <ImportButton book={book} />
          </>
        }
      >
        {book.contacts.length > 0 && (
          <Suspense fallback={null}>
            <ImportedContacts book={book} onChoose={({ phone: number, name }) => bring({ number, name })} />
          </Suspense>
        )}
        <Suspense fallback={<SkeletonRows rows={3} />}>
          <MoreHelp
            onChoose={(countryCode) => {
              entry.chooseCountry(countryCode);
              returnToTop();
              initialFocus(input.current, callButton.current)?.focus({ preventScroll: true });
            }}
          />
          <p className={classNames(styles.emergency, "muted small")}>{t("emergencyNotice")}</p>
        </Suspense>
      </People>
    </div>
  );
}

function numberOf(call: Call): FilledNumber {
  return { number: call.destination_number, countryCode: call.destination_country, name: call.contact_name };
}

type DialAtPrice = (filled: FilledNumber, seen: PriceText) => void;

/** Enters the number, so that its price or the reason for a refusal appears, and calls it unless it costs more than was seen. */
function callAtPrice(entry: NumberEntry, { pressFor }: CallPress): DialAtPrice {
  return (filled, seen) => {
    if (phone.state.status !== "idle") return;
    entry.enter(filled);
    pressFor(seen);
    returnToTop();
  };
}

/** Scripts' scrolling heeds no style, so the style sheet's rule for reduced motion does not reach it. */
function returnToTop(): void {
  const isReduced = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  window.scrollTo({ top: 0, behavior: isReduced ? "instant" : "smooth" });
}

/** Opens the sound check: microphone, speaker, network and a free test call. */
function SoundButton() {
  const { t } = useTranslation("dialer");
  const dialog = useDialogPart(loadSoundDialog);
  return (
    <>
      <Button size="sm" className={styles.check} onClick={dialog.open}>
        <Icon of={IconHeadphones} />
        <span>{t("soundCheck")}</span>
      </Button>
      {dialog.Part !== null && <dialog.Part open={dialog.isOpen} inCall={false} onClose={dialog.close} />}
    </>
  );
}

/** The tutorial, unless something more urgent is on the page. */
function FirstSteps({ quiet }: { readonly quiet: boolean }) {
  const { wanted, finish } = useTutorial();
  const [came, setCame] = useState(wanted && !quiet);
  if (wanted && !quiet && !came) setCame(true);
  if (!came) return null;
  return (
    <Suspense fallback={null}>
      <Tutorial open={wanted && !quiet} onDone={finish} />
    </Suspense>
  );
}

/**
 * Requests a call that may already be running, which is cheap. Loads and connects the phone engine at the
 * first sign that a call is intended: it is ready before a number is typed, and costs nothing for visitors who do not call.
 * Reconnects when the network returns. Whether calls can work at all is checked before.
 */
function usePreparedPhone(): void {
  const online = useOnline();
  const intended = useCallIntent();
  useEffect(() => {
    if (online) followCalls();
  }, [online]);
  useEffect(() => void whenIdle(CHECK_WITHIN_MS).then(() => phone.checkPage()), []);
  useEffect(() => {
    if (!intended || !online) return;
    prepareCall();
    void phone.prepare();
  }, [intended, online]);
}

/** `/dialer?number=…&name=…` fills in a number once: the parameters are removed, so that a reload does not fill it in again. */
function useNumberFromAddress(entry: NumberEntry): void {
  const [params, setParams] = useSearchParams();
  const number = params.get("number");
  const name = params.get("name");
  useEffect(() => {
    if (number === null) return;
    // A plus that was not written as %2B arrives as a space.
    entry.enter({
      number: number.replace(/^ (?=\d)/, "+").slice(0, MAX_NUMBER_CHARS),
      name: name?.slice(0, MAX_NAME_CHARS) || null,
    });
    setParams({}, { replace: true });
    // Depends only on the number: `entry` changes with every character typed.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [number]);
}

/** Fills in what a visitor typed on a public page, or what this customer left in the field, for example to top up. */
function useCarriedNumber(entry: NumberEntry): void {
  const [params] = useSearchParams();
  const { data: user } = useQuery(userQuery);
  const customerId = user?.id;
  const fill = useEffectEvent((customer: string): void => {
    const carried = readCarriedNumber(customer);
    if (carried === null || entry.text !== "" || params.has("number")) return;
    const isKnown = carried.country !== null && countryByCode(carried.country)?.selectable === true;
    entry.enter({ number: carried.number, countryCode: isKnown ? carried.country : entry.countryCode });
    carryNumber(carried, customer);
  });
  const keep = useEffectEvent((customer: string): void => {
    if (leavingFor() !== null) return;
    if (entry.text === "" || isCalled(entry)) forgetCarriedNumber();
    else carryNumber({ number: entry.wholeText, country: entry.countryCode }, customer);
  });
  useEffect(() => {
    if (customerId === undefined) return undefined;
    fill(customerId);
    return () => keep(customerId);
  }, [customerId]);
  useEffect(() => phone.subscribe(() => phone.state.call?.callId && forgetCarriedNumber()), []);
}

/** Whether the number in the field has been called. */
function isCalled({ number }: NumberEntry): boolean {
  const called = phone.state.call ?? phone.state.lastCall;
  return number?.ok === true && called?.number === number.e164 && called.callId !== null;
}

/** Makes the call that a press on another page requested. */
function useRequestedCall(dialAt: DialAtPrice): void {
  useEffect(() => {
    const requested = takeRequestedCall();
    if (requested !== null) dialAt(requested, requested.shown);
    // Once, when the page opens.
    // oxlint-disable-next-line react/exhaustive-deps
  }, []);
}

/** Takes over what was entered before the app had loaded, at once: a key pressed after the drawn page is gone would be lost. */
function useShellNumber(entry: NumberEntry, input: RefObject<HTMLInputElement | null>): void {
  useLayoutEffect(() => {
    const taken = takeDrawnNumber();
    if (taken === null) return;
    if (taken.text !== "") entry.enter({ number: taken.text, countryCode: entry.countryCode });
    if (taken.isFocused) input.current?.focus({ preventScroll: true });
    // Once, when the page opens.
    // oxlint-disable-next-line react/exhaustive-deps
  }, []);
}

/** Clears the last call error when the number changes. */
function dismissFailure(): void {
  if (phone.state.error !== null) phone.dismissError();
}

/** The number field; on touch screens the call button, because a focused field opens the keyboard over the pad. */
function initialFocus(field: HTMLElement | null, callButton: HTMLElement | null): HTMLElement | null {
  return window.matchMedia("(pointer: coarse)").matches ? callButton : field;
}

const SETTING = "tutorial";

/** Whether to show the tutorial in this browser, and a function to dismiss it. */
function useTutorial(): { wanted: boolean; finish: () => void } {
  const [wanted, setWanted] = useState(() => readSetting(SETTING) === null);
  return {
    wanted,
    finish() {
      writeSetting(SETTING, "done");
      setWanted(false);
    },
  };
}

/** Refusals arrive within this time, so the call view does not flash. */
const SHOW_CALL_AFTER_MS = 400;

/** Whether the call view is shown: once the service has allowed the call, or if starting it takes long. */
function useCallShown({ status, call }: PhoneState): boolean {
  const starting = status === "initializing" && call?.callId === null;
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    if (!starting) return undefined;
    const cancel = after(SHOW_CALL_AFTER_MS, () => setSlow(true));
    return () => {
      cancel();
      setSlow(false);
    };
  }, [starting]);
  return status !== "idle" && (!starting || slow);
}
