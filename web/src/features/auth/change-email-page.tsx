import { mailLinkPaths } from "@farline/contract/constants.ts";
import { useTranslation } from "react-i18next";
import { LinkScreen } from "./link-screen.tsx";
import { useMailLink } from "./use-mail-link.ts";
import { useProfileRefresh } from "./verify-email-page.tsx";

/** Confirms an email change from the link sent to the old or new address. */
export function ChangeEmailPage() {
  const { t } = useTranslation("auth");
  const link = useMailLink(mailLinkPaths.changeEmail, "POST /api/email/change/confirm");
  useProfileRefresh(link.use.data?.status === "changed");
  const titles = {
    changed: t("changeEmail.changed"),
    waiting: t("changeEmail.halfway"),
    sign_in: t("changeEmail.signIn"),
  } as const;
  return (
    <LinkScreen
      link={link}
      texts={{
        heading: t("changeEmail.heading"),
        text: t("changeEmail.text"),
        submit: t("changeEmail.submit"),
        waiting: t("changeEmail.waiting"),
        failed: t("changeEmail.failed"),
      }}
      done={({ status, message }) => ({
        title: titles[status],
        text: status === "sign_in" ? t("changeEmail.signInText") : message,
      })}
    />
  );
}
