import { SECONDS_TO_RETURN } from "@farline/contract/constants.ts";
import { countryByCode } from "@farline/domain/countries/countries.ts";
import { IconPhoneFilled, IconPlayerPauseFilled } from "@tabler/icons-react";
import { Suspense, useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { formatCount, formatTimer } from "../../../text/format.ts";
import { isFreeCall } from "@farline/domain/calls/charge.ts";
import { endReasonKey } from "../../../text/call-outcome.ts";
import { usePhoneText } from "../../../text/phone-text.ts";
import { loadPart, optionalPart } from "../../../session/load-part.ts";
import { showCallView } from "../../../session/running-call.ts";
import { useTitle } from "../../../browser/page-hooks.ts";
import type { PhoneCall, PhoneStatus } from "../../../phone/phone-state.ts";
import { classNames } from "../../../ui/class-names.ts";
import { Banner } from "../../../ui/messages/banner.tsx";
import { Flag } from "../../../ui/flag.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { Button } from "../../../ui/button.tsx";
import type { CallControlsProps, CallMoneyProps } from "./call-panel.tsx";
import { callSeconds, costSoFar, lineDrawing, type SoundTrouble, statusWord } from "./call-facts.ts";
import { phone } from "../phone-session.ts";
import type { QualityBand } from "../../../phone/quality/call-quality.ts";
import * as styles from "./call-view.module.css";
import * as lineStyles from "../../../ui/line.module.css";
import * as iconStyles from "../../../ui/icon.module.css";
import * as diallingStyles from "../../../ui/dialling/dialling.module.css";
import { countryName, withTexts } from "../../../text/i18n.ts";

const callPanel = () => loadPart(() => withTexts(import("./call-panel.tsx"), "dialer-parts"));

/** Loads what is shown beside Hang Up, before the first call. */
export function prepareCall(): void {
  callPanel().catch(() => undefined);
}
/** A call goes on, and can be hung up, without them. */
const CallMoney = optionalPart<CallMoneyProps>(async () => ({ default: (await callPanel()).CallMoney }));
const CallControls = optionalPart<CallControlsProps>(async () => ({ default: (await callPanel()).CallControls }));

interface CallViewProps {
  readonly call: PhoneCall;
  readonly status: PhoneStatus;
  /** The reason that one side cannot hear the other. */
  readonly trouble: SoundTrouble | null;
}

/** The running call: callee, duration, cost, and a Hang Up button that is always visible. */
export function CallView({ call, status, trouble }: CallViewProps) {
  const { t } = useTranslation("dialer");
  const write = usePhoneText();
  const heading = useRef<HTMLHeadingElement>(null);
  const name = call.name ?? call.record?.contact_name ?? null;
  const who = name ?? write(call.number);
  const shown = status === "idle" ? "ended" : status;
  const word = t(`call.status.${statusWord(call, shown)}`);
  useTitle(`${word} ${who}`);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  useEffect(showCallView, []);
  return (
    <section className={classNames(styles.call, styles.incall, "on-panel")} aria-label={t("call.label")}>
      <div className={styles.main}>
        <div>
          <Status call={call} status={shown} word={word} />
          <div role="status" data-notice={call.backAfterSeconds !== null || undefined}>
            {call.backAfterSeconds !== null && (
              <Banner kind="info">{t("call.back", { seconds: formatCount(call.backAfterSeconds) })}</Banner>
            )}
          </div>
        </div>
        <Person call={call} name={name} />
        <p className={styles.timer} role="timer" aria-label={t("call.time")}>
          {formatTimer(callSeconds(call))}
        </p>
        <Line call={call} status={shown} />
      </div>
      <div className={styles.actions}>
        {trouble !== null && (
          <div data-notice="">
            <Banner kind={trouble === "waiting" ? "info" : "error"}>{t(`call.trouble.${trouble}`)}</Banner>
          </div>
        )}
        <Suspense fallback={null}>
          <CallMoney call={call} status={shown} />
        </Suspense>
        <div className={classNames(styles.keys, "stack")}>
          <Suspense fallback={null}>
            <CallControls call={call} enabled={shown === "active"} />
          </Suspense>
          {/* Has the focus first: Tab leads to Hang Up, which the Enter that started the call must not press. */}
          <h1 className="sr-only" ref={heading} tabIndex={-1}>
            {t("call.heading", { name: who })}
          </h1>
          <Button data-hang-up pair="end" size="lg" wide disabled={shown === "ended"} onClick={() => phone.hangUp()}>
            <Icon of={IconPhoneFilled} className={iconStyles.down} />
            <span>{t("call.hangUp")}</span>
          </Button>
          {shown !== "ended" && (
            <p className={classNames(styles.note, "muted small")}>
              {t("call.note", { seconds: formatCount(SECONDS_TO_RETURN) })}
            </p>
          )}
        </div>
      </div>
    </section>
  );
}

interface PartProps {
  readonly call: PhoneCall;
  readonly status: Exclude<PhoneStatus, "idle">;
}

function Status({ call, status, word }: PartProps & { readonly word: string }) {
  const { t } = useTranslation("dialer");
  const open = status === "active" && !call.held && !call.reconnecting;
  const held = status === "active" && call.held && !call.reconnecting;
  return (
    <div className={classNames(styles.status, held && styles.statusHeld, !open && !held && styles.statusWait)}>
      <span role="status">
        {open && <i className={styles.dot} />}
        {held && <Icon of={IconPlayerPauseFilled} />}
        <span>{word}</span>
        {held && !isFreeCall(call.record ?? {}, costSoFar(call).cost) && (
          <span className={styles.why}>{t("call.heldCosts")}</span>
        )}
        {status === "ended" && call.endReason !== null && call.endReason !== "hangup" && (
          <span className={styles.why}>{t(endReasonKey(call.endReason, call.record))}</span>
        )}
      </span>
      {status === "active" && !call.reconnecting && call.microphone === "open" && call.quality !== null && (
        <QualityMeter band={call.quality} />
      )}
    </div>
  );
}

function Person({ call, name }: { readonly call: PhoneCall; readonly name: string | null }) {
  const write = usePhoneText();
  const country = calledCountry(call);
  return (
    <div>
      <p className={styles.who} data-testid="callee">
        <bdi>{name ?? write(call.number)}</bdi>
      </p>
      <p className={styles.num}>
        {call.countryCode !== null && <Flag code={call.countryCode} />}
        {/* The line below ends with the country, so a name leaves it no second place. */}
        {name !== null ? <span>{write(call.number)}</span> : country !== null && <span>{country}</span>}
      </p>
    </div>
  );
}

function Line({ call, status }: PartProps) {
  const { t } = useTranslation("dialer");
  const drawing = lineDrawing(call, status);
  return (
    <div className={styles.line}>
      <p className={styles.ends} aria-hidden="true">
        <span>{t("call.you")}</span>
        <span>{calledCountry(call) ?? t("call.far")}</span>
      </p>
      <div className={classNames(lineStyles.line, DRAWINGS[drawing])} role="img" aria-label={t(`call.line.${drawing}`)}>
        <i />
      </div>
    </div>
  );
}

const DRAWINGS = {
  idle: lineStyles.idle,
  ringing: lineStyles.ringing,
  broken: lineStyles.ringing,
  live: undefined,
  hold: lineStyles.hold,
  failed: lineStyles.failed,
  ended: lineStyles.ended,
} as const;

function calledCountry({ record, countryCode }: PhoneCall): string | null {
  if (record !== null) return countryName(record.destination_country, record.destination_country_name);
  const country = countryCode === null ? undefined : countryByCode(countryCode);
  return country === undefined ? null : countryName(country.iso2, country.name);
}

const BARS: Readonly<Record<QualityBand, number>> = { excellent: 5, good: 4, fair: 3, poor: 2, bad: 1 };

/** Call quality: five bars and a word. */
function QualityMeter({ band }: { readonly band: QualityBand }) {
  const { t } = useTranslation("dialer");
  return (
    <span className={diallingStyles.quality} data-q={BARS[band]}>
      <span className={diallingStyles.bars} aria-hidden="true">
        <i />
        <i />
        <i />
        <i />
        <i />
      </span>
      <span>
        <span className={diallingStyles.hd}>{t("quality.prefix")} </span>
        <span>{t(`quality.${band}`)}</span>
      </span>
    </span>
  );
}
