import type { Contact, ContactNumber, ContactsResponse } from "@farline/contract/contacts.ts";
import { type InfiniteData, type UseInfiniteQueryResult, useMutation } from "@tanstack/react-query";
import { memo, useEffect, useEffectEvent, useRef } from "react";
import { useTranslation } from "react-i18next";
import { detailNames } from "@farline/domain/contacts/contact-details.ts";
import { withExtension } from "@farline/domain/numbers/extension.ts";
import { IconBell, IconHistory, IconPhoneFilled, IconStar, IconStarFilled } from "@tabler/icons-react";
import { Link } from "react-router";
import { formatCount, formatRatePerMinute } from "../../text/format.ts";
import { usePhoneText } from "../../text/phone-text.ts";
import { EmptyState, LoadFailure } from "../../ui/empty-state.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { seenAt } from "../../service/last-seen.ts";
import { LastSeen } from "../../ui/waiting/loaded.tsx";
import { Skeleton } from "../../ui/waiting/skeleton.tsx";
import { type ContactFilter, toggleFavorite } from "./contacts-queries.ts";
import { classNames } from "../../ui/class-names.ts";
import { dialerAddress } from "../../session/requested-call.ts";
import { messageOf } from "../../service/http.ts";
import { Flag } from "../../ui/flag.tsx";
import { Icon } from "../../ui/icon.tsx";
import { toast } from "../../ui/messages/toast.ts";
import * as cardStyles from "../../ui/card.module.css";
import * as styles from "./contacts-page.module.css";
import * as skeletonStyles from "../../ui/waiting/skeleton.module.css";
import { countryName } from "../../text/i18n.ts";

/** Distance from the end at which the next page loads. */
const AHEAD = "800px";
const SKELETON_CARDS = 6;

interface ContactListProps {
  readonly list: UseInfiniteQueryResult<InfiniteData<ContactsResponse>>;
  readonly filter: ContactFilter;
  readonly onAdd: () => void;
  readonly onImport: () => void;
  readonly onEdit: (contact: Contact) => void;
  readonly onDelete: (contact: Contact) => void;
  readonly onRemind: (contact: Contact) => void;
}

/** The contacts found, as cards. Scrolling loads more. */
export function ContactList({ list, filter, onAdd, onImport, onEdit, onDelete, onRemind }: ContactListProps) {
  const { t } = useTranslation(["contacts", "common"]);
  const write = usePhoneText();
  if (list.data === undefined)
    return list.isError ? (
      <div className={cardStyles.card}>
        <LoadFailure text={t("failure.fetch")} of={list} />
      </div>
    ) : (
      <CardSkeletons />
    );
  const contacts = list.data.pages.flatMap((page) => page.contacts);
  const total = list.data.pages[0]?.total ?? 0;
  return (
    <>
      <p className="sr-only" role="status">
        {list.isPlaceholderData ? "" : t("found", { count: total, formatted: formatCount(total) })}
      </p>
      <LastSeen at={seenAt("contacts", list)} />
      {contacts.length === 0 ? (
        <NoContacts filter={filter} onAdd={onAdd} onImport={onImport} />
      ) : (
        <ul className={styles.cards} aria-busy={list.isPlaceholderData}>
          {contacts.map((contact) => (
            <ContactCard
              key={contact.id}
              contact={contact}
              write={write}
              onEdit={onEdit}
              onDelete={onDelete}
              onRemind={onRemind}
            />
          ))}
        </ul>
      )}
      {list.hasNextPage && <More busy={list.isFetchingNextPage} onMore={() => void list.fetchNextPage()} />}
    </>
  );
}

/** Loads more when scrolled near, or when pressed: browsers without the observer have the button. */
function More({ busy, onMore }: { readonly busy: boolean; readonly onMore: () => void }) {
  const { t } = useTranslation();
  const place = useRef<HTMLDivElement>(null);
  const ask = useEffectEvent(onMore);
  useEffect(() => {
    const element = place.current;
    if (busy || element === null || typeof IntersectionObserver === "undefined") return undefined;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting === true && ask(), {
      rootMargin: AHEAD,
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [busy]);
  return (
    <div className={styles.more} ref={place}>
      <Button wide busy={busy} onClick={onMore}>
        {t("showMore")}
      </Button>
    </div>
  );
}

function NoContacts({ filter, onAdd, onImport }: Pick<ContactListProps, "filter" | "onAdd" | "onImport">) {
  const { t } = useTranslation("contacts");
  if (filter.search !== "")
    return (
      <div className={cardStyles.card}>
        <EmptyState title={t("empty.search")} />
      </div>
    );
  if (filter.favorites)
    return (
      <div className={cardStyles.card}>
        <EmptyState title={t("empty.favorites")} text={t("empty.favoritesText")} />
      </div>
    );
  return (
    <div className={cardStyles.card}>
      <EmptyState
        title={t("empty.title")}
        text={t("empty.text")}
        action={
          <div className="row">
            <Button onClick={onImport}>{t("import.title")}</Button>
            <Button pair="action" onClick={onAdd}>
              {t("add")}
            </Button>
          </div>
        }
      />
    </div>
  );
}

/** Placeholder cards, shown after 200 ms of loading and announced to screen readers. */
function CardSkeletons() {
  const { t } = useTranslation();
  return (
    <div className={classNames(styles.cards, skeletonStyles.late)} role="status">
      <span className="sr-only">{t("loading")}</span>
      <span>
        {Array.from({ length: SKELETON_CARDS }, (_, index) => (
          <div className={classNames(cardStyles.card, styles.contact)} key={index} aria-hidden="true">
            <Skeleton width="60%" height="1.5rem" />
            <Skeleton width="45%" />
            <Skeleton width="100%" height="2.75rem" />
          </div>
        ))}
      </span>
    </div>
  );
}

interface ContactCardProps {
  readonly contact: Contact;
  /** Formats a number for reading. */
  readonly write: (e164: string) => string;
  readonly onEdit: (contact: Contact) => void;
  readonly onDelete: (contact: Contact) => void;
  readonly onRemind: (contact: Contact) => void;
}

/** One contact with its rate and actions. Memoised: renders again only when its data changes. */
const ContactCard = memo(function ContactCard({ contact, write, onEdit, onDelete, onRemind }: ContactCardProps) {
  const { t } = useTranslation("contacts");
  const { full_name: name, notes } = contact;
  const rateText = useRateText();
  return (
    <li className={classNames(cardStyles.card, styles.contact)}>
      <div className={styles.top}>
        <div className={styles.who}>
          <h2 className={styles.name}>
            <bdi>{name}</bdi>
          </h2>
          {detailNames.map(
            (detail) =>
              contact[detail] !== null && (
                <p key={detail} className="muted small">
                  {contact[detail]}
                </p>
              ),
          )}
          <p className={styles.num}>
            <span className="fig">{withExtension(write(contact.phone_number), contact.extension)}</span>{" "}
            <span className="muted small">{t(`type.${contact.phone_number_type}`)}</span>
          </p>
          {contact.other_numbers.length > 0 && <OtherNumbers contact={contact} write={write} />}
          {notes !== null && <p className={classNames(styles.notes, "muted small")}>{notes}</p>}
        </div>
        <div className={styles.signs}>
          <Star contact={contact} />
          <button
            type="button"
            className={styles.sign}
            aria-label={t("reminder.open", { name })}
            onClick={() => onRemind(contact)}
          >
            <Icon of={IconBell} />
          </button>
          <Link className={styles.sign} to={`/history?contact=${contact.id}`} aria-label={t("history", { name })}>
            <Icon of={IconHistory} />
          </Link>
        </div>
      </div>
      <div className={styles.foot}>
        <p className={styles.dest}>
          <Flag code={contact.country_code} />
          <span>{countryName(contact.country_code, contact.country_name)}</span>
          <span className={classNames(styles.rate, "fig")}>{rateText(contact)}</span>
        </p>
        <div className={styles.actions}>
          <ButtonLink
            size="sm"
            pair="call"
            to={dialerAddress(contact.phone_number + contact.extension, name)}
            aria-label={t("callName", { name })}
          >
            <Icon of={IconPhoneFilled} />
            <span>{t("call")}</span>
          </ButtonLink>
          <Button size="sm" aria-label={t("editName", { name })} onClick={() => onEdit(contact)}>
            {t("edit")}
          </Button>
          <Button size="sm" className={styles.del} aria-label={t("deleteName", { name })} onClick={() => onDelete(contact)}>
            {t("delete")}
          </Button>
        </div>
      </div>
    </li>
  );
});

function Star({ contact }: { readonly contact: Contact }) {
  const { t } = useTranslation("contacts");
  const toggle = useMutation({
    mutationFn: toggleFavorite,
    onSuccess: () => toast.success(t("toast.favorite")),
    onError: (error) => toast.error(messageOf(error, t("failure.favorite"))),
  });
  return (
    <button
      type="button"
      className={classNames(styles.sign, styles.signStar)}
      aria-pressed={contact.favorite}
      aria-label={t("favoriteName", { name: contact.full_name })}
      onClick={() => !toggle.isPending && toggle.mutate(contact)}
    >
      <Icon of={contact.favorite ? IconStarFilled : IconStar} />
    </button>
  );
}

/** The other numbers with their prices; each links to the dialer. */
function OtherNumbers({ contact, write }: Pick<ContactCardProps, "contact" | "write">) {
  const { t } = useTranslation("contacts");
  const rateText = useRateText();
  return (
    <ul className={styles.others}>
      {contact.other_numbers.map((number) => (
        <li key={number.phone_number + number.extension}>
          <Link className="link" to={dialerAddress(number.phone_number + number.extension, contact.full_name)}>
            <span className="fig">{withExtension(write(number.phone_number), number.extension)}</span>
          </Link>
          <span className="muted small">{`${t(`type.${number.phone_number_type}`)} · ${rateText(number)}`}</span>
        </li>
      ))}
    </ul>
  );
}

function useRateText(): (number: Pick<ContactNumber, "rate_per_minute">) => string {
  const { t } = useTranslation("contacts");
  return ({ rate_per_minute: rate }) => (rate === null ? t("noRate") : formatRatePerMinute(rate));
}
