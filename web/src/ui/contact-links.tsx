import { IconPhone, IconUserPlus } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { dialerAddress, newContactAddress } from "../session/requested-call.ts";
import { isShortened, usePhoneText } from "../text/phone-text.ts";
import { ButtonLink } from "./button.tsx";
import { Icon } from "./icon.tsx";
import { classNames } from "./class-names.ts";
import * as styles from "./destinations.module.css";

interface ContactLinkProps {
  readonly call: {
    /** E.164. */
    readonly destination_number: string;
    /** Null without a contact. */
    readonly contact_name: string | null;
  };
  /** An icon alone, or with its text. */
  readonly look: "icon" | "text";
}

/** Opens the dialer with the number of an earlier call; renders nothing if the number was shortened. */
export function CallAgainLink({ call: { destination_number: number, contact_name: name }, look }: ContactLinkProps) {
  const { t } = useTranslation();
  const write = usePhoneText();
  if (isShortened(number)) return null;
  const to = dialerAddress(number, name);
  if (look === "text")
    return (
      <ButtonLink to={to} size="sm" pair="call">
        <Icon of={IconPhone} />
        <span>{t("contact.callAgain")}</span>
      </ButtonLink>
    );
  const label = t("contact.callAgainName", { name: name ?? write(number) });
  return (
    <ButtonLink to={to} iconOnly className={classNames(styles.contactlink, styles.call)} aria-label={label}>
      <Icon of={IconPhone} />
    </ButtonLink>
  );
}

/** Opens the form for a new contact with the number of a call; renders nothing if a contact has it. */
export function SaveContactLink({ call: { destination_number: number, contact_name: name }, look }: ContactLinkProps) {
  const { t } = useTranslation();
  const write = usePhoneText();
  if (name !== null || isShortened(number)) return null;
  const to = newContactAddress(number);
  if (look === "text")
    return (
      <ButtonLink to={to} size="sm">
        <Icon of={IconUserPlus} />
        <span>{t("contact.save")}</span>
      </ButtonLink>
    );
  return (
    <ButtonLink to={to} iconOnly className={styles.contactlink} aria-label={t("contact.saveName", { name: write(number) })}>
      <Icon of={IconUserPlus} />
    </ButtonLink>
  );
}
