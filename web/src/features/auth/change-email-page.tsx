import { mailLinkPaths } from "@farline/contract/constants.ts";
import { useTranslation } from "react-i18next";
import { LinkScreen } from "./link-screen.tsx";
import { consumeMailLink } from "./use-mail-link.ts";
import { useProfileRefresh } from "./verify-email-page.tsx";

/** Confirms an email change from the link sent to the old or new address. */
export function ChangeEmailPage() {
  const { t } = useTranslation("auth");
  const link = consumeMailLink(mailLinkPaths.changeEmail, "POST /api/email/change/confirm");
  useProfileRefresh(link.answer.data?.status === "changed");
  const titles = {
    changed: t("changeEmail.changed"),
    waiting: t("changeEmail.halfway"),
    sign_in: t("changeEmail.signIn"),
  } as const;
  return (
    <LinkScreen
      link={link}
      texts={{ waiting: t("changeEmail.waiting"), failed: t("changeEmail.failed") }}
      done={({ status, message }) => ({
        title: titles[status],
        text: status === "sign_in" ? t("changeEmail.signInText") : message,
      })}
    />
  );
}
