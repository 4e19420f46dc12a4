import type { Contact, ContactsResponse } from "@farline/contract/contacts.ts";
import { IconDialpadFilled, IconStarFilled, IconTrash } from "@tabler/icons-react";
import { type InfiniteData, type UseInfiniteQueryResult, useQuery } from "@tanstack/react-query";
import {
  type KeyboardEvent,
  memo,
  type MouseEvent,
  type PointerEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useEffectEvent,
  useId,
  useRef,
} from "react";
import { useTranslation } from "react-i18next";
import { formatCount, formatRate, formatRatePerMinute } from "../../text/format.ts";
import { countryName } from "../../text/i18n.ts";
import { EmptyState, LoadFailure } from "../../ui/empty-state.tsx";
import { Button } from "../../ui/button.tsx";
import { keepSeen, MAX_SEEN_ROWS, readSeen, seenAt } from "../../service/last-seen.ts";
import { LastSeen } from "../../ui/waiting/loaded.tsx";
import { SkeletonRows } from "../../ui/waiting/skeleton.tsx";
import { favoritesQuery } from "../../service/queries.ts";
import type { ContactFilter } from "./contacts-queries.ts";
import { classNames } from "../../ui/class-names.ts";
import { Flag } from "../../ui/flag.tsx";
import { Icon } from "../../ui/icon.tsx";
import * as cardStyles from "../../ui/card.module.css";
import * as styles from "./contacts-page.module.css";

/** Distance from the end at which the next page loads. */
const AHEAD = "800px";
const SKELETON_ROWS = 8;

interface RowActions {
  readonly onOpen: (contact: Contact) => void;
  readonly onDialer: (contact: Contact) => void;
  readonly onDelete: (contact: Contact) => void;
}

interface ContactListProps extends RowActions {
  readonly list: UseInfiniteQueryResult<InfiniteData<ContactsResponse>>;
  readonly filter: ContactFilter;
  /** The contact whose sheet is beside the list. */
  readonly chosenId: string | null;
  readonly onImport: () => void;
}

/** The element that a contact's sheet gives the focus back to. */
export function rowId(contactId: string): string {
  return `contact-${contactId}`;
}

/** The row after a contact's, else the one before, else the page: it takes the focus when that contact is deleted. */
export function rowBeside(contactId: string): HTMLElement | null {
  const rows = allRows();
  const at = rows.findIndex(({ id }) => id === rowId(contactId));
  return rows[at + 1] ?? rows[at - 1] ?? document.getElementById("main");
}

function allRows(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>(`.${styles.personRow}`)];
}

/** The contacts found: favourites first, then all by name. Scrolling loads more. */
export function ContactList({ list, filter, chosenId, onImport, ...actions }: ContactListProps) {
  const { t } = useTranslation(["contacts", "common"]);
  const favorites = useQuery(favoritesQuery);
  const seenFavorites = favorites.isPending ? readSeen<readonly Contact[]>("favorites") : null;
  useEffect(() => {
    if (favorites.data !== undefined) keepSeen("favorites", favorites.data.slice(0, MAX_SEEN_ROWS));
  }, [favorites.data]);
  const keysId = useId();
  if (list.data === undefined || (favorites.isPending && seenFavorites === null))
    return (
      <div className={cardStyles.card}>
        {list.data === undefined && list.isError ? (
          <LoadFailure text={t("failure.fetch")} of={list} />
        ) : (
          <SkeletonRows rows={SKELETON_ROWS} />
        )}
      </div>
    );
  const isWhole = filter.search === "" && !filter.favorites;
  const first = isWhole ? (favorites.data ?? seenFavorites?.data ?? []).filter(({ favorite }) => favorite) : [];
  const firstIds = new Set(first.map(({ id }) => id));
  const contacts = list.data.pages.flatMap((page) => page.contacts).filter(({ id }) => !firstIds.has(id));
  const total = list.data.pages[0]?.total ?? 0;
  const row = (contact: Contact) => (
    <ContactRow key={contact.id} contact={contact} chosen={contact.id === chosenId} keysId={keysId} {...actions} />
  );
  return (
    <>
      <p className="sr-only" role="status">
        {list.isPlaceholderData ? "" : t("found", { count: total, formatted: formatCount(total) })}
      </p>
      <LastSeen at={seenAt("contacts", list) ?? seenFavorites?.at ?? null} />
      <p className="sr-only" id={keysId}>
        {t("keys")}
      </p>
      {total === 0 && first.length === 0 && <NoContacts filter={filter} onImport={onImport} />}
      {first.length > 0 && (
        <Group head={<span>{t("favorites")}</span>} busy={false}>
          {first.map(row)}
        </Group>
      )}
      {contacts.length > 0 && (
        <Group
          head={
            <>
              <span>{t(isWhole ? "all" : "some", { formatted: formatCount(total) })}</span>
              <span>{t("perMinute")}</span>
            </>
          }
          busy={list.isPlaceholderData}
        >
          {contacts.map(row)}
        </Group>
      )}
      {list.hasNextPage && <More busy={list.isFetchingNextPage} onMore={() => void list.fetchNextPage()} />}
    </>
  );
}

function Group({ head, busy, children }: { readonly head: ReactNode; readonly busy: boolean; readonly children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <h2 className={classNames(styles.groupHead, "spread")} id={id}>
        {head}
      </h2>
      <ul className={classNames(cardStyles.card, styles.people)} aria-busy={busy}>
        {children}
      </ul>
    </section>
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
    <div ref={place}>
      <Button wide busy={busy} onClick={onMore}>
        {t("showMore")}
      </Button>
    </div>
  );
}

function NoContacts({ filter, onImport }: Pick<ContactListProps, "filter" | "onImport">) {
  const { t } = useTranslation("contacts");
  return (
    <div className={cardStyles.card}>
      {filter.search !== "" ? (
        <EmptyState title={t("empty.search")} />
      ) : filter.favorites ? (
        <EmptyState title={t("empty.favorites")} text={t("empty.favoritesText")} />
      ) : (
        <EmptyState
          title={t("empty.title")}
          text={t("empty.text")}
          action={<Button onClick={onImport}>{t("import.title")}</Button>}
        />
      )}
    </div>
  );
}

interface ContactRowProps extends RowActions {
  readonly contact: Contact;
  readonly chosen: boolean;
  /** The element that says which keys and swipes work. */
  readonly keysId: string;
}

/** One contact: a press opens its sheet. Memoised: renders again only when its data changes. */
const ContactRow = memo(function ContactRow({ contact, chosen, keysId, onOpen, onDialer, onDelete }: ContactRowProps) {
  const { t } = useTranslation("contacts");
  const row = useRef<HTMLButtonElement>(null);
  const swipe = useSwipe(row, (side) => (side === "end" ? onDialer(contact) : onDelete(contact)));
  const { full_name: name, rate_per_minute: rate, favorite } = contact;
  const place = t("row", {
    type: t(`type.${contact.phone_number_type}`),
    country: countryName(contact.country_code, contact.country_name),
  });
  const price = rate === null ? t("noRate") : formatRatePerMinute(rate);
  const keyed = (event: KeyboardEvent<HTMLButtonElement>): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Delete" || event.key === "Backspace") onDelete(contact);
    else if (!focusNeighbour(event.currentTarget, event.key)) return;
    event.preventDefault();
  };
  return (
    <li className={styles.person}>
      <span className={styles.behind} aria-hidden="true">
        <Icon of={IconDialpadFilled} />
        <Icon of={IconTrash} />
      </span>
      <button
        {...swipe}
        ref={row}
        id={rowId(contact.id)}
        type="button"
        className={styles.personRow}
        // The visible text comes first and unbroken, so that voice control finds the row by it (WCAG 2.5.3).
        aria-label={[name, place, price, favorite ? t("role.favorite") : null].filter((part) => part !== null).join(", ")}
        aria-describedby={keysId}
        aria-haspopup="dialog"
        aria-current={chosen || undefined}
        onClick={() => onOpen(contact)}
        onKeyDown={keyed}
      >
        <Flag code={contact.country_code} />
        <span className={styles.who}>
          <span className={styles.name}>
            <bdi>{name}</bdi>
            {favorite && <Icon of={IconStarFilled} className={styles.star} />}
          </span>{" "}
          <span className={styles.place}>{place}</span>
        </span>{" "}
        <span className={classNames(styles.rate, "fig")}>{rate === null ? t("noRate") : formatRate(rate)}</span>
      </button>
    </li>
  );
});

/** Moves the focus by the arrow keys, Home and End. @returns false for any other key */
function focusNeighbour(row: HTMLElement, key: string): boolean {
  if (!["ArrowDown", "ArrowUp", "Home", "End"].includes(key)) return false;
  const rows = allRows();
  const at = rows.indexOf(row);
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[key];
  rows[next ?? at]?.focus();
  return true;
}

/** A drag shorter than the first is a press; one longer than the second acts when let go. */
const SWIPE_FROM_PX = 12;
const SWIPE_PX = 96;
/** Swipes from the edge of the screen belong to the browser, which goes back. */
const EDGE_PX = 24;

/** Lets a finger drag a row sideways. @param onSwipe receives the side that the row was dragged to, in the direction of reading */
function useSwipe(row: RefObject<HTMLElement | null>, onSwipe: (side: "start" | "end") => void) {
  const drag = useRef<{ readonly x: number; readonly y: number; dx: number; swipes: boolean } | null>(null);
  const swiped = useRef(false);
  const move = (dx: number): void => {
    row.current?.style.setProperty("translate", dx === 0 ? "" : `${dx}px`);
    row.current?.parentElement?.toggleAttribute("data-swiped", dx !== 0);
  };
  const end = (): void => {
    drag.current = null;
    move(0);
  };
  return {
    onPointerDown: ({ pointerType, clientX: x, clientY: y, isPrimary }: PointerEvent) => {
      swiped.current = false;
      const atEdge = x < EDGE_PX || x > window.innerWidth - EDGE_PX;
      drag.current = pointerType === "mouse" || atEdge || !isPrimary ? null : { x, y, dx: 0, swipes: false };
    },
    onPointerMove: ({ clientX, clientY, pointerId, currentTarget }: PointerEvent) => {
      const now = drag.current;
      if (now === null) return;
      now.dx = clientX - now.x;
      if (!now.swipes) {
        if (Math.abs(clientY - now.y) > SWIPE_FROM_PX) return end();
        if (Math.abs(now.dx) < SWIPE_FROM_PX) return;
        now.swipes = true;
        swiped.current = true;
        currentTarget.setPointerCapture(pointerId);
      }
      move(Math.max(-SWIPE_PX * 1.5, Math.min(SWIPE_PX * 1.5, now.dx)));
    },
    onPointerUp: () => {
      const { dx = 0, swipes = false } = drag.current ?? {};
      end();
      if (!swipes || Math.abs(dx) < SWIPE_PX) return;
      onSwipe(dx > 0 === (document.documentElement.dir !== "rtl") ? "end" : "start");
    },
    onPointerCancel: end,
    // A row that was dragged is not pressed. Keys and screen readers press without a pointer, and not every drag ends in a click.
    onClickCapture: (event: MouseEvent) => {
      if (!swiped.current || event.detail === 0) return;
      swiped.current = false;
      event.preventDefault();
      event.stopPropagation();
    },
  };
}
