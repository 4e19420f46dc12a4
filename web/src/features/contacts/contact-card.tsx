import type { Contact, ContactNumber } from "@farline/contract/contacts.ts";
import { detailNames } from "@farline/domain/contacts/contact-details.ts";
import { withExtension } from "@farline/domain/numbers/extension.ts";
import { IconBell, IconHistory, IconPhoneFilled, IconStar, IconStarFilled } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { memo } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { dialerAddress } from "../../browser/page-addresses.ts";
import { countryName } from "../../text/country-name.ts";
import { formatRatePerMinute } from "../../text/format.ts";
import { messageOf } from "../../service/http.ts";
import { Flag } from "../../ui/flag.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { toast } from "../../ui/messages/toast.ts";
import { toggleFavorite } from "./contacts-queries.ts";
import { classNames } from "../../ui/class-names.ts";
import * as cardStyles from "../../ui/card.module.css";
import * as styles from "./contact-card.module.css";

interface ContactCardProps {
  readonly contact: Contact;
  /** Formats a number for reading. */
  readonly write: (e164: string) => string;
  readonly onEdit: (contact: Contact) => void;
  readonly onDelete: (contact: Contact) => void;
  readonly onRemind: (contact: Contact) => void;
}

/** One contact with its rate and actions. Memoised: renders again only when its data changes. */
export const ContactCard = memo(function ContactCard({ contact, write, onEdit, onDelete, onRemind }: ContactCardProps) {
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
