import { mailLinkPaths } from "@farline/contract/constants.ts";
import { useTranslation } from "react-i18next";
import { LinkScreen } from "./link-screen.tsx";
import { useMailLink } from "./use-mail-link.ts";

/** Confirms a newsletter subscription. */
export function NewsletterConfirmPage() {
  const { t } = useTranslation("auth");
  const link = useMailLink(mailLinkPaths.newsletterConfirm, "POST /api/newsletter/confirm");
  return (
    <LinkScreen
      link={link}
      texts={{
        heading: t("newsletter.heading"),
        text: t("newsletter.text"),
        submit: t("newsletter.submit"),
        waiting: t("newsletter.confirming"),
        failed: t("newsletter.notConfirmed"),
      }}
      done={({ message }) => ({ title: t("newsletter.confirmed"), text: message })}
    />
  );
}

/** Ends the newsletter, or the reminder, whose mail has the link. */
export function NewsletterUnsubscribePage() {
  const { t } = useTranslation("auth");
  const link = useMailLink(mailLinkPaths.newsletterUnsubscribe, "POST /api/newsletter/unsubscribe");
  return (
    <LinkScreen
      link={link}
      texts={{
        heading: t("unsubscribe.heading"),
        text: t("unsubscribe.text"),
        submit: t("unsubscribe.submit"),
        waiting: t("unsubscribe.waiting"),
        failed: t("unsubscribe.failed"),
      }}
      done={({ message }) => ({ title: t("unsubscribe.done"), text: message })}
    />
  );
}
