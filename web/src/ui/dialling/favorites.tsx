import type { Contact } from "@farline/contract/contacts.ts";
import { useQuery } from "@tanstack/react-query";
import { IconMoon, IconPhone } from "@tabler/icons-react";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { dialerAddress, type ShownPrice } from "../../session/requested-call.ts";
import { useMinute } from "../../time/use-now.ts";
import { favoritesQuery } from "../../service/queries.ts";
import { formatRatePerMinute } from "../../text/format.ts";
import { useIncrementText } from "../../text/price-text.ts";
import { timeThere } from "../../text/time-there.ts";
import { Button } from "../button.tsx";
import { classNames } from "../class-names.ts";
import { Flag } from "../flag.tsx";
import { Icon } from "../icon.tsx";
import * as styles from "../destinations.module.css";

interface Person {
  /** E.164, an extension behind it. */
  readonly number: string;
  readonly name: string;
}

interface FavoritesProps {
  readonly className?: string | undefined;
  /** On the dialer: enters the number. Elsewhere a press opens the dialer. */
  readonly onChoose?: (person: Person) => void;
  /** Calls at once, unless it costs more than the price shown. */
  readonly onCall: (person: Person, shown: ShownPrice) => void;
}

/** The customer's favourites, with the price of a call and the time there. Nothing without favourites. */
export function Favorites({ className, ...actions }: FavoritesProps) {
  const { t } = useTranslation();
  const id = useId();
  const { data: favorites = [] } = useQuery(favoritesQuery);
  const now = useMinute();
  if (favorites.length === 0) return null;
  return (
    <section className={className} aria-labelledby={id}>
      <h2 className={classNames(styles.heading, "t-sub")} id={id}>
        {t("favorites.title")}
      </h2>
      <ul className={styles.people}>
        {favorites.map((contact) => (
          <li key={contact.id} className={styles.person}>
            <Favorite contact={contact} now={now} {...actions} />
          </li>
        ))}
      </ul>
    </section>
  );
}

interface FavoriteProps extends Omit<FavoritesProps, "className"> {
  readonly contact: Contact;
  readonly now: Date;
}

function Favorite({ contact, now, onChoose, onCall }: FavoriteProps) {
  const { t } = useTranslation();
  const { full_name: name, country_code, rate_per_minute, first_interval_s: first, next_interval_s: next } = contact;
  const incrementText = useIncrementText();
  const person = { number: contact.phone_number + contact.extension, name };
  const there = timeThere(contact.time_zone, now);
  const facts = (
    <>
      <Flag code={country_code} />
      <b>
        <bdi>{name}</bdi>
      </b>
      <small>
        {rate_per_minute !== null && <span>{formatRatePerMinute(rate_per_minute)}</span>}
        {first !== null && next !== null && first > 1 && <span>{incrementText(first, next)}</span>}
        {there !== null && (
          <span>
            {there.night && <Icon of={IconMoon} />}
            <span>{t("favorites.time", { time: there.time })}</span>
          </span>
        )}
      </small>
    </>
  );
  return (
    <>
      {onChoose === undefined ? (
        <Link className={styles.dest} to={dialerAddress(person.number, name)}>
          {facts}
        </Link>
      ) : (
        <button type="button" className={styles.dest} onClick={() => onChoose(person)}>
          {facts}
        </button>
      )}
      {rate_per_minute !== null && (
        <Button
          iconOnly
          className={classNames(styles.contactlink, styles.call)}
          aria-label={t("favorites.call", { name })}
          onClick={() => onCall(person, { ...contact, rate_per_minute })}
        >
          <Icon of={IconPhone} />
        </Button>
      )}
    </>
  );
}
