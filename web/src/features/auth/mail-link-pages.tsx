import type { AnswerOf } from "@farline/contract/api/api.ts";
import { mailLinkPaths } from "@farline/contract/constants.ts";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { request } from "../../service/http.ts";
import { configQuery, queryKeys, userQuery } from "../../service/queries.ts";
import { queryClient } from "../../service/query-client.ts";
import { useLinkToken } from "../../session/address-secrets.ts";
import { useToken } from "../../session/session.ts";
import { formatMoney } from "../../text/format.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { LinkScreen } from "./auth-frame.tsx";
import { ResetPassword } from "./password-pages.tsx";

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
      texts="verify"
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
function useProfileRefresh(changed: boolean): void {
  useEffect(() => {
    if (changed) void queryClient.invalidateQueries({ queryKey: queryKeys.user });
  }, [changed]);
}

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
      texts="changeEmail"
      done={({ status, message }) => ({
        title: titles[status],
        text: status === "sign_in" ? t("changeEmail.signInText") : message,
      })}
    />
  );
}

/** Confirms a newsletter subscription. */
export function NewsletterConfirmPage() {
  const { t } = useTranslation("auth");
  const link = useMailLink(mailLinkPaths.newsletterConfirm, "POST /api/newsletter/confirm");
  return (
    <LinkScreen link={link} texts="newsletter" done={({ message }) => ({ title: t("newsletter.confirmed"), text: message })} />
  );
}

/** Ends the newsletter, or the reminder, whose mail has the link. */
export function NewsletterUnsubscribePage() {
  const { t } = useTranslation("auth");
  const link = useMailLink(mailLinkPaths.newsletterUnsubscribe, "POST /api/newsletter/unsubscribe");
  return <LinkScreen link={link} texts="unsubscribe" done={({ message }) => ({ title: t("unsubscribe.done"), text: message })} />;
}

type MailLinkEndpoint =
  | "POST /api/email/verify"
  | "POST /api/email/change/confirm"
  | "POST /api/newsletter/confirm"
  | "POST /api/newsletter/unsubscribe";

/**
 * A mailed link's token, and the request that uses it. Only a press sends it: mail scanners open links in a real browser.
 * @param page path the link leads to
 * @param endpoint takes the token (linkRequest)
 */
function useMailLink<N extends MailLinkEndpoint>(page: string, endpoint: N) {
  const token = useLinkToken(page);
  const use = useMutation({
    // A link that is pasted over this page, such as the second one of a change of address, begins anew.
    mutationKey: ["mail-link", page, token],
    mutationFn: () => request<MailLinkEndpoint>(endpoint, { body: { token: token ?? "" } }) as Promise<AnswerOf<N>>,
  });
  return { token, use };
}
