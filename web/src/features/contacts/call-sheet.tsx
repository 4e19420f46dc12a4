import { dialerPath, shownStatus } from "@farline/contract/constants.ts";
import type { Contact } from "@farline/contract/contacts.ts";
import { detailNames } from "@farline/domain/contacts/contact-details.ts";
import { withExtension } from "@farline/domain/numbers/extension.ts";
import {
  IconBell,
  IconBuilding,
  IconDialpadFilled,
  IconHistory,
  IconMail,
  IconMoon,
  IconNote,
  IconPencil,
  IconPhone,
  IconPhoneFilled,
  IconStar,
  IconStarFilled,
  IconTrash,
  IconX,
} from "@tabler/icons-react";
import { useMutation, useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useId, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Link, useNavigate } from "react-router";
import { useMedia } from "../../browser/use-media.ts";
import { messageOf } from "../../service/http.ts";
import { dialerAddress, requestCall } from "../../session/requested-call.ts";
import { callCost } from "../../text/call-outcome.ts";
import { formatDateTime, formatDollarBuys, formatDuration, formatRate, formatRatePerMinute } from "../../text/format.ts";
import { countryName } from "../../text/i18n.ts";
import { usePhoneText } from "../../text/phone-text.ts";
import { useIncrementText } from "../../text/price-text.ts";
import { timeThere } from "../../text/time-there.ts";
import { useCallSeconds, useMinute } from "../../time/use-now.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { classNames } from "../../ui/class-names.ts";
import { Dialog } from "../../ui/dialogs/dialog.tsx";
import { Flag } from "../../ui/flag.tsx";
import { Icon } from "../../ui/icon.tsx";
import { toast } from "../../ui/messages/toast.ts";
import { rowId } from "./contact-list.tsx";
import { lastCallQuery, toggleFavorite } from "./contacts-queries.ts";
import * as cardStyles from "../../ui/card.module.css";
import * as styles from "./call-sheet.module.css";

const WIDE = "(min-width: 64rem)";

interface CallSheetProps {
  readonly contact: Contact;
  /** A dialog is open over the sheet. */
  readonly covered: boolean;
  readonly onClose: () => void;
  readonly onEdit: () => void;
  readonly onDelete: () => void;
  readonly onRemind: () => void;
}

/** A contact with all that can be done with it: beside the list where the screen is wide, else a sheet at the foot of the screen. */
export function CallSheet({ covered, ...sheet }: CallSheetProps) {
  const { contact, onClose } = sheet;
  const isWide = useMedia(WIDE);
  const id = rowId(contact.id);
  useEffect(() => () => document.getElementById(id)?.focus({ preventScroll: true }), [id]);
  if (isWide) return <SheetBeside key={contact.id} covered={covered} {...sheet} />;
  if (covered) return null;
  return (
    <Dialog open onClose={onClose} title={contact.full_name}>
      <SheetContent {...sheet} />
    </Dialog>
  );
}

function SheetBeside({ covered, ...sheet }: CallSheetProps) {
  const { contact, onClose } = sheet;
  const id = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!covered) heading.current?.focus({ preventScroll: true });
  }, [covered]);
  useEffect(() => {
    if (covered) return undefined;
    const escape = ({ key }: KeyboardEvent) => key === "Escape" && onClose();
    document.addEventListener("keydown", escape);
    return () => document.removeEventListener("keydown", escape);
  }, [covered, onClose]);
  return (
    <section className={classNames(cardStyles.card, styles.beside)} aria-labelledby={id}>
      <h2 className="t-card" id={id} ref={heading} tabIndex={-1}>
        <bdi>{contact.full_name}</bdi>
      </h2>
      <SheetContent {...sheet} />
    </section>
  );
}

function SheetContent({ contact, onClose, onEdit, onDelete, onRemind }: Omit<CallSheetProps, "covered">) {
  const { t } = useTranslation(["contacts", "common"]);
  const write = usePhoneText();
  const navigate = useNavigate();
  const { full_name: name, rate_per_minute: rate } = contact;
  const number = contact.phone_number + contact.extension;
  const call = (): void => {
    if (rate === null) return;
    requestCall({ number, name, shown: { ...contact, rate_per_minute: rate } });
    void navigate(dialerPath);
  };
  return (
    <div className={styles.sheet}>
      <div className={styles.tools}>
        <Star contact={contact} />
        <Button iconOnly className={styles.tool} aria-label={t("common:close")} onClick={onClose}>
          <Icon of={IconX} />
        </Button>
      </div>
      <p className={styles.number}>
        <Flag code={contact.country_code} size="sm" />
        <span className="fig">{withExtension(write(contact.phone_number), contact.extension)}</span>
      </p>
      <Price contact={contact} />
      <Button pair="call" size="lg" wide disabled={rate === null} aria-label={t("callName", { name })} onClick={call}>
        <Icon of={IconPhoneFilled} />
        <span>{t("call")}</span>
      </Button>
      <div className={styles.actions}>
        <Button size="sm" aria-label={t("reminder.open", { name })} onClick={onRemind}>
          <Icon of={IconBell} />
          <span>{t("sheet.remind")}</span>
        </Button>
        <ButtonLink size="sm" to={dialerAddress(number, name)}>
          <Icon of={IconDialpadFilled} />
          <span>{t("sheet.dialer")}</span>
        </ButtonLink>
      </div>
      <ul className={styles.facts}>
        <OtherNumbers contact={contact} />
        <LastCall contact={contact} />
        {detailNames.map(
          (detail) => contact[detail] !== null && <Fact key={detail} icon={IconBuilding} text={contact[detail]} />,
        )}
        {contact.email !== null && (
          <Fact
            icon={IconMail}
            text={
              // The @ is written as it is (RFC 6068, 2): not every mail program decodes it.
              <a className="link" href={`mailto:${encodeURIComponent(contact.email).replaceAll("%40", "@")}`}>
                {contact.email}
              </a>
            }
          />
        )}
        {contact.notes !== null && <Fact icon={IconNote} text={contact.notes} />}
      </ul>
      <div className={styles.actions}>
        <Button size="sm" aria-label={t("editName", { name })} onClick={onEdit}>
          <Icon of={IconPencil} />
          <span>{t("edit")}</span>
        </Button>
        <Button size="sm" className={styles.remove} aria-label={t("deleteName", { name })} onClick={onDelete}>
          <Icon of={IconTrash} />
          <span>{t("delete")}</span>
        </Button>
      </div>
    </div>
  );
}

/** What a minute costs, where the number is, what time it is there, and what one dollar buys. */
function Price({ contact }: { readonly contact: Contact }) {
  const { t } = useTranslation(["contacts", "common"]);
  const incrementText = useIncrementText();
  const now = useMinute();
  const { rate_per_minute: rate, first_interval_s: first, next_interval_s: next } = contact;
  const there = timeThere(contact.time_zone, now);
  const buys = rate === null ? null : formatDollarBuys(rate);
  return (
    <div className={styles.price}>
      <div>
        <p className={classNames(styles.rate, "fig")}>
          {rate === null ? t("noRate") : t("common:perMinute", { rate: formatRate(rate) })}
        </p>
        <p className="muted small">
          {t("row", {
            type: t(`type.${contact.phone_number_type}`),
            country: countryName(contact.country_code, contact.country_name),
          })}
        </p>
        {there !== null && (
          <p className={classNames("muted small", styles.time)}>
            {there.night && <Icon of={IconMoon} />}
            <span>{t("sheet.time", { time: there.time })}</span>
          </p>
        )}
        {first !== null && next !== null && first > 1 && <p className="muted small">{incrementText(first, next)}</p>}
      </div>
      {buys !== null && <span className={styles.buys}>{buys}</span>}
    </div>
  );
}

function Star({ contact }: { readonly contact: Contact }) {
  const { t } = useTranslation("contacts");
  const toggle = useMutation({
    mutationFn: toggleFavorite,
    onSuccess: () => toast.success(t("toast.favorite")),
    onError: (error) => toast.error(messageOf(error, t("failure.favorite"))),
  });
  return (
    <Button
      iconOnly
      className={classNames(styles.tool, styles.star)}
      aria-pressed={contact.favorite}
      aria-label={t("favoriteName", { name: contact.full_name })}
      onClick={() => !toggle.isPending && toggle.mutate(contact)}
    >
      <Icon of={contact.favorite ? IconStarFilled : IconStar} />
    </Button>
  );
}

interface FactProps {
  readonly icon: typeof IconMail;
  readonly text: ReactNode;
  readonly aside?: ReactNode;
}

function Fact({ icon, text, aside }: FactProps) {
  return (
    <li className={styles.fact}>
      <Icon of={icon} />
      <div>{text}</div>
      {aside !== undefined && <div>{aside}</div>}
    </li>
  );
}

/** The other numbers with their prices; each leads to the dialer. */
function OtherNumbers({ contact }: { readonly contact: Contact }) {
  const { t } = useTranslation("contacts");
  const write = usePhoneText();
  return contact.other_numbers.map(({ phone_number: number, extension, phone_number_type: type, rate_per_minute: rate }) => (
    <Fact
      key={number + extension}
      icon={IconPhone}
      text={
        <>
          <Link className="link" to={dialerAddress(number + extension, contact.full_name)}>
            <span className="fig">{withExtension(write(number), extension)}</span>
          </Link>
          <p className="muted small">{`${t(`type.${type}`)} · ${rate === null ? t("noRate") : formatRatePerMinute(rate)}`}</p>
        </>
      }
    />
  ));
}

/** How the last call with a contact went, and a link to all of them. */
function LastCall({ contact }: { readonly contact: Contact }) {
  const { t } = useTranslation(["contacts", "common"]);
  const { data: call } = useQuery(lastCallQuery(contact.id));
  const seconds = useCallSeconds(call ?? { answered_at: null, ended_at: null, duration_seconds: 0 });
  const cost = call ? callCost(call) : null;
  const outcome = call && (seconds === null || shownStatus(call) === "lost" ? t(`common:status.${shownStatus(call)}`) : null);
  const words = call && [formatDateTime(call.created_at), seconds === null ? null : formatDuration(seconds), outcome];
  return (
    <Fact
      icon={IconHistory}
      text={
        <>
          <Link className="link" to={`/history?contact=${contact.id}`}>
            {t("history", { name: contact.full_name })}
          </Link>
          <p className="muted small">{words ? words.filter(Boolean).join(", ") : call === null && t("sheet.noCalls")}</p>
        </>
      }
      aside={cost !== null && <strong className="fig">{cost}</strong>}
    />
  );
}
