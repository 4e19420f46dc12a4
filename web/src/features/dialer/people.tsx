import { shownStatus } from "@farline/contract/constants.ts";
import type { Call } from "@farline/contract/calls.ts";
import type { Contact } from "@farline/contract/contacts.ts";
import { useQuery } from "@tanstack/react-query";
import { IconMoon, IconPhoneFilled } from "@tabler/icons-react";
import { type ReactNode, Suspense, useId } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { isShortened } from "../../text/phone-text.ts";
import { callCost } from "../../text/call-outcome.ts";
import { formatDateTime, formatDuration, formatRatePerMinute } from "../../text/format.ts";
import { countryName } from "../../text/i18n.ts";
import { useIncrementText } from "../../text/price-text.ts";
import { timeThere } from "../../text/time-there.ts";
import { useCallSeconds, useMinute } from "../../time/use-now.ts";
import { favoritesQuery, userQuery } from "../../service/queries.ts";
import type { ShownPrice } from "../../session/requested-call.ts";
import { Called } from "../../ui/called.tsx";
import { Flag } from "../../ui/flag.tsx";
import { Icon } from "../../ui/icon.tsx";
import { SkeletonRows } from "../../ui/waiting/skeleton.tsx";
import { latestCallsQuery } from "./dialer-queries.ts";
import { ConfirmEmail, NewCaller } from "./dialer-parts.ts";
import { useNumberText } from "./call-intent.ts";
import type { FilledNumber } from "./number/use-number-entry.ts";
import { classNames } from "../../ui/class-names.ts";
import * as styles from "./dialer-page.module.css";

interface PeopleProps {
  /** Calls at once, unless it costs more than the price shown. */
  readonly onCall: (filled: FilledNumber, seen: ShownPrice | Call) => void;
  /** Whether the board asks for the code of the mail already. */
  readonly isAsked: boolean;
  /** Buttons beside the heading. */
  readonly actions: ReactNode;
  /** What follows the people. It appears with them, because they would push it down. */
  readonly children: ReactNode;
}

/** Favourites, then the five latest calls: a press on a row calls. */
export function People({ onCall, isAsked, actions, children }: PeopleProps) {
  const { t } = useTranslation("dialer");
  const id = useId();
  const favorites = useQuery(favoritesQuery);
  const latest = useQuery(latestCallsQuery);
  const user = useQuery(userQuery);
  const isKnown = ![favorites, latest, user].some((query) => query.isLoading);
  const isNew = latest.data?.length === 0 && !favorites.data?.length;
  return (
    <>
      <section aria-labelledby={id}>
        <div className={styles.peopleHead}>
          <h2 className={styles.label} id={id}>
            {t(isNew ? "people.start" : "people.title")}
          </h2>
          <div className={styles.actions}>{actions}</div>
        </div>
        {isKnown && <Favorites contacts={favorites.data ?? []} onCall={onCall} />}
      </section>
      <Suspense fallback={<SkeletonRows rows={3} />}>
        {isKnown ? (
          <>
            {user.data?.email_verified === false ? !isAsked && <ConfirmEmail seconds={null} /> : isNew && <NewCaller />}
            {latest.isError && latest.data === undefined && <p className="muted">{t("latest.failure")}</p>}
            <LatestCalls calls={latest.data ?? []} onCall={onCall} />
            {children}
          </>
        ) : (
          <SkeletonRows rows={3} />
        )}
      </Suspense>
    </>
  );
}

function Favorites({ contacts, onCall }: { readonly contacts: readonly Contact[]; readonly onCall: PeopleProps["onCall"] }) {
  if (contacts.length === 0) return null;
  return (
    <ul className={styles.people}>
      {contacts.map((contact) => (
        <li key={contact.id}>
          <Favorite contact={contact} onCall={onCall} />
        </li>
      ))}
    </ul>
  );
}

function LatestCalls({ calls, onCall }: { readonly calls: readonly Call[]; readonly onCall: PeopleProps["onCall"] }) {
  const { t } = useTranslation("dialer");
  const id = useId();
  const whole = calls.filter((call) => !isShortened(call.destination_number));
  if (whole.length === 0) return null;
  return (
    <section aria-labelledby={id}>
      <div className={styles.peopleHead}>
        <h2 className={styles.label} id={id}>
          {t("latest.title")}
        </h2>
        <Link className="link small" to="/history">
          {t("latest.all")}
        </Link>
      </div>
      <ul className={classNames(styles.people, styles.latest)}>
        {whole.map((call) => (
          <li key={call.id}>
            <LatestCall call={call} onCall={onCall} />
          </li>
        ))}
      </ul>
    </section>
  );
}

interface PersonProps {
  readonly country: string;
  readonly who: ReactNode;
  readonly label: string;
  /** Null if the number has no price, so that it cannot be called. */
  readonly onPress: (() => void) | null;
  /** Price, time and outcome, below the name. */
  readonly children: ReactNode;
}

/** A row that calls. */
function Person({ country, who, label, onPress, children }: PersonProps) {
  return (
    <button type="button" className={styles.person} aria-label={label} disabled={onPress === null} onClick={onPress ?? undefined}>
      {/* As a block of its own direction, a name would leave the edge at which the reader's lines begin. */}
      <span className={styles.personName}>{who}</span>
      <span className={styles.personFacts}>
        <Flag code={country} size="sm" />
        {children}
      </span>
      {onPress !== null && <Icon of={IconPhoneFilled} className={styles.go} />}
    </button>
  );
}

function Favorite({ contact, onCall }: { readonly contact: Contact; readonly onCall: PeopleProps["onCall"] }) {
  const { t } = useTranslation("dialer");
  const incrementText = useIncrementText();
  const now = useMinute();
  const { full_name: name, country_code: code, rate_per_minute: rate, first_interval_s: first, next_interval_s: next } = contact;
  const there = timeThere(contact.time_zone, now);
  const price = rate === null ? null : formatRatePerMinute(rate);
  const steps = first !== null && next !== null && first > 1 ? incrementText(first, next) : null;
  const time =
    there === null ? null : t("people.time", { time: there.time, country: countryName(code, contact.country_name ?? code) });
  return (
    <Person
      country={code}
      who={<bdi>{name}</bdi>}
      label={[t("people.call", { name }), price, steps, time].filter((part) => part !== null).join(", ")}
      onPress={
        rate === null
          ? null
          : () => onCall({ number: contact.phone_number + contact.extension, name }, { ...contact, rate_per_minute: rate })
      }
    >
      {price !== null && <b className="fig">{price}</b>}
      {steps !== null && <span>{steps}</span>}
      {time !== null && (
        <span className={classNames("fig", there?.night === true && styles.night)}>
          {there?.night === true && <Icon of={IconMoon} />}
          <span>{time}</span>
        </span>
      )}
    </Person>
  );
}

function LatestCall({ call, onCall }: { readonly call: Call; readonly onCall: PeopleProps["onCall"] }) {
  const { t } = useTranslation(["dialer", "common"]);
  const write = useNumberText();
  const seconds = useCallSeconds(call);
  const number = write(call.destination_number);
  const name = call.contact_name ?? number;
  const when = formatDateTime(call.created_at);
  const outcome = seconds === null ? t(`common:status.${shownStatus(call)}`) : formatDuration(seconds);
  const cost = callCost(call);
  return (
    <Person
      country={call.destination_country}
      who={<Called name={call.contact_name} number={number} />}
      label={[t("common:contact.callAgainName", { name }), name === number ? null : number, when, outcome, cost]
        .filter((part) => part !== null)
        .join(", ")}
      onPress={() =>
        onCall({ number: call.destination_number, countryCode: call.destination_country, name: call.contact_name }, call)
      }
    >
      <span className="fig">{when}</span>
      <span>{outcome}</span>
      {cost !== null && <b className="fig">{cost}</b>}
    </Person>
  );
}
