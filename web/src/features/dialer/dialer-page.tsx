import "../../styles/destinations.css";
import "../../styles/dial-pad.css";
import "./dialer.css";
import { type RefObject, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useTitle } from "../../lib/use-title.ts";
import type { PhoneState } from "../../phone/phone-state.ts";
import { CallView } from "./call-view.tsx";
import { DialForm } from "./dial-form.tsx";
import { DialNotices } from "./dial-notices.tsx";
import { phone } from "./phone-session.ts";
import { BalanceBadge, LatestCalls, PopularDestinations, QuickTips } from "./side-panel.tsx";
import { useCallShown } from "./use-call-shown.ts";
import { type NumberEntry, useNumberEntry } from "./use-number-entry.ts";
import { usePhone } from "./use-phone.ts";
import { usePreparedPhone } from "./use-prepared-phone.ts";

/** Where a number is dialled and, while a call is open, where the call is. */
export function DialerPage() {
  const state = usePhone();
  const input = useRef<HTMLInputElement>(null);
  const entry = useNumberEntry(input, dismissFailure);
  const callShown = useCallShown(state);
  const [wasInCall, setWasInCall] = useState(false);
  usePreparedPhone();
  if (callShown && !wasInCall) setWasInCall(true);
  if (callShown && state.call !== null) return <CallView call={state.call} status={state.status} />;
  return <DialView state={state} entry={entry} input={input} afterCall={wasInCall} />;
}

interface DialViewProps {
  readonly state: PhoneState;
  readonly entry: NumberEntry;
  readonly input: RefObject<HTMLInputElement | null>;
  /** The page comes back from a call: the focus goes where the next call begins. */
  readonly afterCall: boolean;
}

function DialView({ state, entry, input, afterCall }: DialViewProps) {
  const { t } = useTranslation("dialer");
  const callKey = useRef<HTMLButtonElement>(null);
  useTitle(t("title"));
  useEffect(() => {
    if (afterCall) startPlace(input.current, callKey.current)?.focus({ preventScroll: true });
  }, [afterCall, input]);
  const bring = (number: () => void): void => {
    number();
    window.scrollTo({ top: 0, behavior: "smooth" });
  };
  return (
    <div className="dialer">
      <div>
        <h1 className="t-page dialer__h">{t("title")}</h1>
        <section className="card dialer__pad" aria-label={t("pad")}>
          <DialNotices state={state} />
          <DialForm state={state} entry={entry} input={input} callKey={callKey} />
        </section>
        <p className="muted small dialer__emergency">{t("emergencyNotice")}</p>
      </div>
      <div className="dialer__side stack">
        <div className="dialer__do">
          <BalanceBadge />
        </div>
        <PopularDestinations
          onChoose={(countryCode) => {
            bring(() => entry.chooseCountry(countryCode));
            startPlace(input.current, callKey.current)?.focus({ preventScroll: true });
          }}
        />
        <div className="dialer__two">
          <LatestCalls
            onAgain={(call) => {
              bring(() => entry.fill(call.destination_number, call.destination_country));
              // The key is enabled with the number, in the paint that follows.
              requestAnimationFrame(() => callKey.current?.focus({ preventScroll: true }));
            }}
          />
          <QuickTips />
        </div>
      </div>
    </div>
  );
}

/** A changed number is another try: what stopped the last one is no longer true of it. */
function dismissFailure(): void {
  if (phone.state.error !== null) phone.dismissError();
}

/** The number field; with a finger the green key, because a field with the focus opens a keyboard over the pad. */
function startPlace(field: HTMLElement | null, callKey: HTMLElement | null): HTMLElement | null {
  return window.matchMedia("(pointer: coarse)").matches ? callKey : field;
}
