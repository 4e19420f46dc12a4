import type { Contact, ContactsResponse } from "@farline/contract/contacts.ts";
import type { InfiniteData, UseInfiniteQueryResult } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useRef } from "react";
import { useTranslation } from "react-i18next";
import { formatCount } from "../../text/format.ts";
import { usePhoneText } from "../../text/phone-text.ts";
import { EmptyState, LoadFailure } from "../../ui/empty-state.tsx";
import { Button } from "../../ui/button.tsx";
import { Skeleton } from "../../ui/waiting/skeleton.tsx";
import { ContactCard } from "./contact-card.tsx";
import type { ContactFilter } from "./contacts-queries.ts";
import { classNames } from "../../ui/class-names.ts";
import * as cardStyles from "../../ui/card.module.css";
import * as styles from "./contact-list.module.css";
import * as skeletonStyles from "../../ui/waiting/skeleton.module.css";
import * as contactCardStyles from "./contact-card.module.css";

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
      {contacts.length === 0 ? (
        <NoContacts filter={filter} onAdd={onAdd} onImport={onImport} />
      ) : (
        <ul className={styles.ct} aria-busy={list.isPlaceholderData}>
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
    <div className={classNames(styles.ct, skeletonStyles.late)} role="status">
      <span className="sr-only">{t("loading")}</span>
      <span>
        {Array.from({ length: SKELETON_CARDS }, (_, index) => (
          <div className={classNames(cardStyles.card, contactCardStyles.contact)} key={index} aria-hidden="true">
            <Skeleton width="60%" height="1.5rem" />
            <Skeleton width="45%" />
            <Skeleton width="100%" height="2.75rem" />
          </div>
        ))}
      </span>
    </div>
  );
}
