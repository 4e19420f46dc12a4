import { mailLinkPaths } from "@farline/contract/constants.ts";
import type { EmailVerifiedResponse } from "@farline/contract/account-access.ts";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { queryKeys } from "../../service/queries.ts";
import { queryClient } from "../../service/query-client.ts";
import { useToken } from "../../session/session.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { LinkScreen } from "./link-screen.tsx";
import { ResetPassword } from "./reset-password-page.tsx";
import { useMailLink } from "./use-mail-link.ts";

/** Proves that the mail address is the customer's, where they signed up; elsewhere they choose a password first. */
export function VerifyEmailPage() {
  const { t } = useTranslation("auth");
  const link = useMailLink<EmailVerifiedResponse>(mailLinkPaths.verifyEmail, "/email/verify");
  const signedIn = useToken() !== null;
  const { data } = link.answer;
  useProfileRefresh(data?.status === "verified");
  if (data?.status === "choose_password") return <ResetPassword token={data.reset_token} lead={t("verify.choosePassword")} />;
  return (
    <LinkScreen
      link={link}
      texts={{ waiting: t("verify.waiting"), failed: t("verify.failed") }}
      done={({ message }) => ({ title: t("verify.done"), text: message })}
      instead={
        signedIn ? (
          <ButtonLink pair="action" size="lg" wide to="/account">
            {t("verify.newLink")}
          </ButtonLink>
        ) : undefined
      }
    />
  );
}

/** What the profile says of the address has changed. */
export function useProfileRefresh(changed: boolean): void {
  useEffect(() => {
    if (changed) void queryClient.invalidateQueries({ queryKey: queryKeys.user });
  }, [changed]);
}
