import { mailLinkPaths } from "@farline/contract/constants.ts";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { configQuery, queryKeys, userQuery } from "../../service/queries.ts";
import { formatMoney } from "../../text/format.ts";
import { queryClient } from "../../service/query-client.ts";
import { useToken } from "../../session/session.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { LinkScreen } from "./link-screen.tsx";
import { ResetPassword } from "./reset-password-page.tsx";
import { useMailLink } from "./use-mail-link.ts";

/** Confirms the email address. In a browser not signed in to the account, the user chooses a new password first. */
export function VerifyEmailPage() {
  const { t } = useTranslation("auth");
  const link = useMailLink(mailLinkPaths.verifyEmail, "POST /api/email/verify");
  const signedIn = useToken() !== null;
  const { data } = link.use;
  const firstCall = useFirstCallText();
  useProfileRefresh(data?.status === "verified");
  if (data?.status === "choose_password") return <ResetPassword token={data.reset_token} lead={t("verify.choosePassword")} />;
  return (
    <LinkScreen
      link={link}
      texts={{
        heading: t("verify.heading"),
        text: t("verify.text"),
        submit: t("verify.submit"),
        waiting: t("verify.waiting"),
        failed: t("verify.failed"),
      }}
      done={({ message }) => ({ title: t("verify.done"), text: firstCall === null ? message : firstCall })}
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

/** "Your first call is free, up to $0.25. One per person."; null if no credit is granted, or not to this address. */
function useFirstCallText(): string | null {
  const { t } = useTranslation("common");
  const { data: config } = useQuery(configQuery);
  const { data: user } = useQuery({ ...userQuery, enabled: false });
  const amount = config?.first_call ?? null;
  return amount === null || user?.disposable_email === true ? null : t("verifyEmail.firstCall", { amount: formatMoney(amount) });
}

/** Refreshes the profile, whose address is now confirmed. */
export function useProfileRefresh(changed: boolean): void {
  useEffect(() => {
    if (changed) void queryClient.invalidateQueries({ queryKey: queryKeys.user });
  }, [changed]);
}
