import type { SoundRating as SoundRatingWord } from "@farline/contract/call-details.ts";
import type { Call, EndReason } from "@farline/contract/calls.ts";
import { REFUND_HASH, soundRatings } from "@farline/contract/constants.ts";
import { fromDecimalString, MICROS_PER_DOLLAR } from "@farline/domain/money.ts";
import { dateOnClock } from "@farline/domain/wall-clock.ts";
import { useQuery } from "@tanstack/react-query";
import { IconClock, IconPhoneFilled, IconReceipt2, IconX } from "@tabler/icons-react";
import { useEffect, useId, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { randomId } from "../../../browser/random-id.ts";
import { saveFile } from "../../../browser/save-file.ts";
import { Link, useNavigate } from "react-router";
import { isFreeCall } from "@farline/domain/calls/charge.ts";
import { endReasonKey } from "../../../text/call-outcome.ts";
import { useMinute } from "../../../time/use-now.ts";
import { EVENING_TIME, type Evening, eveningThere } from "./evening-there.ts";
import { formatCost, formatDuration, formatMinutes, formatWholeDollars } from "../../../text/format.ts";
import { usePhoneText } from "../../../text/phone-text.ts";
import { isFinal } from "../../../phone/call/call-service.ts";
import type { PhoneCall } from "../../../phone/phone-state.ts";
import { classNames } from "../../../ui/class-names.ts";
import { messageOf, request } from "../../../service/http.ts";
import { balanceQuery } from "../../../service/queries.ts";
import { Banner } from "../../../ui/messages/banner.tsx";
import { toast } from "../../../ui/messages/toast.ts";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { SaveContactLink } from "../../../ui/contact-links.tsx";
import { Flag } from "../../../ui/flag.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { usePadKeyboard } from "../number/dial-keys.tsx";
import * as styles from "../dialer-parts.module.css";
import * as lineStyles from "../../../ui/line.module.css";

/** The phone rang or was engaged, and nobody talked. */
const NOT_REACHED: ReadonlySet<EndReason> = new Set(["no_answer", "rejected", "busy"]);
/** The smallest top-up (specification §9). */
const LEAST_DOLLARS = 5;

export interface AfterCallProps {
  readonly call: PhoneCall;
  readonly onAgain: (call: Call) => void;
  /** A digit that was typed: it begins a new number. */
  readonly onKey: (key: string) => void;
  readonly onClose: () => void;
}

/** After a call, in the pad's place: the outcome in words, what it cost, and one next step. */
export default function AfterCall({ call, onAgain, onKey, onClose }: AfterCallProps) {
  const { t } = useTranslation(["dialer-parts", "dialer"]);
  const write = usePhoneText();
  const heading = useRef<HTMLHeadingElement>(null);
  const { record } = call;
  const name = call.name ?? record?.contact_name ?? null;
  const ended = record !== null && isFinal(record) ? record : null;
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  usePadKeyboard({ onKey, onEscape: onClose });
  const { title, text } = useOutcome(call);
  return (
    <section className={styles.sheet} aria-label={t("summary.label")}>
      <div className={styles.sheetHead}>
        {call.countryCode !== null && <Flag code={call.countryCode} />}
        <span className={styles.who}>
          <bdi>{name ?? write(call.number)}</bdi>
        </span>
        <Button iconOnly className={styles.close} aria-label={t("summary.close")} onClick={onClose}>
          <Icon of={IconX} />
        </Button>
      </div>
      <div
        className={classNames(lineStyles.line, ended?.answered_at === null ? lineStyles.failed : lineStyles.ended)}
        aria-hidden="true"
      >
        <i />
      </div>
      <h2 className={styles.outcome} ref={heading} tabIndex={-1}>
        {title}
      </h2>
      <p className="muted">
        <span className="fig" data-testid="last-charge" role="status">
          {text}
        </span>{" "}
        {ended !== null && (
          <Link className="link" to={`/call/${ended.id}`}>
            {t("summary.details")}
          </Link>
        )}
      </p>
      {ended !== null && <NextStep call={ended} onAgain={() => onAgain({ ...ended, contact_name: name })} />}
      {ended !== null && ended.answered_at !== null && <SoundRating call={ended} />}
    </section>
  );
}

/** Why the call ended, in few words, and its charge once known. */
function useOutcome({ record, endReason }: PhoneCall): { readonly title: string; readonly text: string } {
  const { t } = useTranslation(["dialer-parts", "dialer"]);
  if (record === null || !isFinal(record)) return { title: t("summary.ended"), text: t("summary.settling") };
  const isAnswered = record.answered_at !== null;
  // Cancelled at the moment of the answer: it still counts as a call.
  const talked = endReason === null || endReason === "cancelled" ? "hangup" : endReason;
  const reason = isAnswered ? endReasonKey(talked, record) : (`endReason.${endReason ?? "network_failure"}` as const);
  const words = t(`dialer:${reason}`);
  if (!isAnswered) return { title: asTitle(words), text: t("summary.free") };
  const duration = formatDuration(record.duration_seconds);
  if (isFreeCall(record, record.cost)) return { title: t("summary.freeTitle"), text: `${words} ${duration}.` };
  return { title: asTitle(words), text: t("summary.charge", { duration, cost: formatCost(record.cost) }) };
}

/** A sentence as a heading, without its full stop. */
function asTitle(sentence: string): string {
  return sentence.replace(/[.।]$/u, "");
}

interface NextStepProps {
  readonly call: Call;
  readonly onAgain: () => void;
}

/** The step that most probably follows; beside it what else can be done with this call. */
function NextStep({ call, onAgain }: NextStepProps) {
  const { t } = useTranslation(["dialer-parts", "common"]);
  const { data: balance } = useQuery(balanceQuery);
  const evening = eveningThere(call.destination_country, useMinute());
  const isReached = call.end_reason === null || !NOT_REACHED.has(call.end_reason);
  const perMinute = fromDecimalString(call.rate_per_minute);
  // Own credit pays no call that a family's owner pays.
  const isOwn = balance !== undefined && !balance.family;
  const isShort = isOwn && (call.end_reason === "credit_used_up" || fromDecimalString(balance.available) < perMinute);
  if (call.answered_at !== null && isShort) return <TopUpNext call={call} />;
  const again = (
    <Button pair={!isReached && evening?.isOdd === true ? "quiet" : "call"} wide onClick={onAgain}>
      <Icon of={IconPhoneFilled} />
      <span>{t("common:contact.callAgain")}</span>
    </Button>
  );
  return (
    <div className={styles.steps2}>
      {!isReached && evening !== null && evening.isOdd && <TryLater call={call} evening={evening} pair="action" />}
      {again}
      {!isReached && evening !== null && !evening.isOdd && <TryLater call={call} evening={evening} pair="quiet" />}
      <SaveContactLink call={call} look="text" />
    </div>
  );
}

/** What the smallest top-up buys of this number. */
function TopUpNext({ call }: { readonly call: Call }) {
  const { t } = useTranslation(["dialer-parts", "dialer"]);
  const rate = fromDecimalString(call.rate_per_minute);
  const amount = formatWholeDollars(LEAST_DOLLARS);
  const minutes = rate === 0n ? null : formatMinutes(Number((BigInt(LEAST_DOLLARS) * MICROS_PER_DOLLAR) / rate));
  return (
    <>
      {minutes !== null && <Banner kind="credit">{t("summary.buys", { amount, minutes })}</Banner>}
      <div className={styles.steps2}>
        <ButtonLink pair="credit" wide to="/topup">
          {t("summary.topUp", { amount })}
        </ButtonLink>
        <ButtonLink wide to={`/call/${call.id}`}>
          <Icon of={IconReceipt2} />
          <span>{t("summary.bill")}</span>
        </ButtonLink>
        <SaveContactLink call={call} look="text" />
      </div>
    </>
  );
}

/** How the caller heard it. A bad line that was paid for leads to the refund request. */
function SoundRating({ call }: { readonly call: Call }) {
  const { t } = useTranslation("dialer-parts");
  const id = useId();
  const navigate = useNavigate();
  const group = useRef<HTMLDivElement>(null);
  const [rated, setRated] = useState<SoundRatingWord | null>(null);
  const rate = async (sound: SoundRatingWord): Promise<void> => {
    if (sound === rated) return;
    setRated(sound);
    try {
      await request("POST /api/calls/:id/rating", { params: { id: call.id }, body: { sound } });
      // Not once the caller has gone on, perhaps to the next call.
      if (group.current !== null && sound === "bad" && !isFreeCall(call, call.cost))
        await navigate(`/call/${call.id}${REFUND_HASH}`);
    } catch (error) {
      setRated((now) => (now === sound ? rated : now));
      toast.error(messageOf(error, t("summary.sound.failed")));
    }
  };
  return (
    <div className={styles.rating} role="group" aria-labelledby={id} ref={group}>
      <p className="muted small" id={id}>
        {t(rated === null ? "summary.sound.question" : "summary.sound.thanks")}
      </p>
      {soundRatings.map((sound) => (
        <Button key={sound} size="sm" aria-pressed={rated === sound} onClick={() => void rate(sound)}>
          {t(`summary.sound.${sound}`)}
        </Button>
      ))}
    </div>
  );
}

interface TryLaterProps {
  readonly call: Call;
  readonly evening: Evening;
  readonly pair: "action" | "quiet";
}

/** Reminds the caller in the evening there: by mail if the number is a contact's, otherwise by an entry for their calendar. */
function TryLater({ call, evening, pair }: TryLaterProps) {
  const { t } = useTranslation("dialer-parts");
  const [state, setState] = useState<"offered" | "busy" | "mail" | "calendar">("offered");
  const remind = async (): Promise<void> => {
    setState("busy");
    const isMailed = await remindByMail(call, evening).catch(() => false);
    if (!isMailed) saveToCalendar(evening.at, t("later.entry", { name: call.contact_name ?? call.destination_number }));
    setState(isMailed ? "mail" : "calendar");
  };
  if (state === "mail" || state === "calendar") return <p className="muted">{t(`later.${state}`, { here: evening.here })}</p>;
  return (
    <Button pair={pair} wide busy={state === "busy"} onClick={() => void remind()}>
      {state === "offered" && <Icon of={IconClock} />}
      <span>{t("later.key", { there: evening.there })}</span>
    </Button>
  );
}

/** @returns false if no contact has the number */
async function remindByMail({ destination_number: number }: Call, { at, zone }: Evening): Promise<boolean> {
  const { contacts } = await request("GET /api/contacts", { query: { search: number } });
  const contact = contacts.find(({ phone_number }) => phone_number === number);
  if (contact === undefined) return false;
  const body = { contact_id: contact.id, date: dateOnClock(at, zone), time: EVENING_TIME, time_zone: zone };
  await request("POST /api/reminders", { body });
  return true;
}

/** How long the entry in the calendar is. */
const ENTRY_MS = 15 * 60_000;

/** Downloads an event (RFC 5545), which phones and computers add to their calendar. */
function saveToCalendar(at: Date, title: string): void {
  const time = (moment: Date): string => moment.toISOString().replaceAll(/[-:]|\.\d+/g, "");
  const text = title.replaceAll(/[\\;,]/g, "\\$&");
  const lines = [
    ...["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Farline//EN", "BEGIN:VEVENT", `UID:${randomId()}`],
    ...[`DTSTAMP:${time(at)}`, `DTSTART:${time(at)}`, `DTEND:${time(new Date(at.getTime() + ENTRY_MS))}`, `SUMMARY:${text}`],
    ...["BEGIN:VALARM", "ACTION:DISPLAY", "TRIGGER:PT0M", `DESCRIPTION:${text}`, "END:VALARM", "END:VEVENT", "END:VCALENDAR", ""],
  ];
  saveFile("call.ics", lines.join("\r\n"), "text/calendar");
}
