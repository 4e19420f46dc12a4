import { mailLinkPaths } from "@farline/contract/constants.ts";
import { useTranslation } from "react-i18next";
import { LinkScreen } from "./link-screen.tsx";
import { consumeMailLink } from "./use-mail-link.ts";

/** Confirms a newsletter subscription. */
export function NewsletterConfirmPage() {
  const { t } = useTranslation("auth");
  const link = consumeMailLink(mailLinkPaths.newsletterConfirm, "POST /api/newsletter/confirm");
  return (
    <LinkScreen
      link={link}
      texts={{ waiting: t("newsletter.confirming"), failed: t("newsletter.notConfirmed") }}
      done={({ message }) => ({ title: t("newsletter.confirmed"), text: message })}
    />
  );
}

/** Unsubscribes from the newsletter. */
export function NewsletterUnsubscribePage() {
  const { t } = useTranslation("auth");
  const link = consumeMailLink(mailLinkPaths.newsletterUnsubscribe, "POST /api/newsletter/unsubscribe");
  return (
    <LinkScreen
      link={link}
      texts={{ waiting: t("newsletter.leaving"), failed: t("newsletter.notLeft") }}
      done={({ message }) => ({ title: t("newsletter.left"), text: message })}
    />
  );
}
