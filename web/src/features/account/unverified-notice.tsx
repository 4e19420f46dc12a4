import type { User } from "@farline/contract/accounts.ts";
import { IconMail } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { configQuery } from "../../service/queries.ts";
import { formatMoney } from "../../text/format.ts";
import { Icon } from "../../ui/icon.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { useDeliveryWatch } from "./use-delivery-watch.ts";
import { useResendVerification } from "./use-resend-verification.ts";
import * as styles from "./unverified-notice.module.css";

/** Asks the user to confirm the email address. Nothing on the page is blocked. */
export function UnverifiedNotice({ user }: { readonly user: User }) {
  const { t } = useTranslation();
  const { busy, message, resend } = useResendVerification();
  const { data: config } = useQuery(configQuery);
  useDeliveryWatch();
  const isRefused = user.email_refused && message === null;
  const firstCall = config?.first_call ?? null;
  const freeCall =
    firstCall === null
      ? ""
      : ` ${user.disposable_email ? t("verifyEmail.disposable") : t("verifyEmail.freeCall", { amount: formatMoney(firstCall) })}`;
  return (
    <aside
      className={styles.unverified}
      data-said={message !== null || user.email_refused || undefined}
      aria-labelledby="unverified-title"
    >
      <Icon of={IconMail} />
      <div className={styles.text}>
        <h2 id="unverified-title">{t("verifyEmail.title")}</h2>
        <p role={isRefused ? "alert" : "status"}>
          {isRefused
            ? t("verifyEmail.refused", { email: user.email })
            : (message?.text ??
              `${t(user.link_mailed ? "verifyEmail.notice" : "verifyEmail.noLink", { email: user.email })}${freeCall}`)}
        </p>
      </div>
      {user.email_refused && (
        <ButtonLink size="sm" pair="action" to="/account">
          {t("verifyEmail.change")}
        </ButtonLink>
      )}
      <Button size="sm" busy={busy} onClick={() => void resend()}>
        {t("verifyEmail.again")}
      </Button>
    </aside>
  );
}
