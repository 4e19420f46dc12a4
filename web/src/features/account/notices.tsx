import type { User } from "@farline/contract/accounts.ts";
import { IconMail } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { messageOf, request } from "../../service/http.ts";
import { configQuery, userQuery } from "../../service/queries.ts";
import { formatDate, formatMoney } from "../../text/format.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Banner } from "../../ui/messages/banner.tsx";
import { toast } from "../../ui/messages/toast.ts";
import { useChange } from "../../ui/use-change.ts";
import { keepAccount, refreshProfile } from "./account-queries.ts";
import * as styles from "./account.module.css";
import { Link } from "react-router";

/** Asks the user to confirm the email address. Nothing on the page is blocked. */
export function UnverifiedNotice({ user }: { readonly user: User }) {
  const { t } = useTranslation(["account", "common"]);
  const { busy, message, resend } = useResendVerification();
  const { data: config } = useQuery(configQuery);
  useDeliveryWatch();
  const isRefused = user.email_refused && message === null;
  const firstCall = config?.first_call ?? null;
  const freeCall =
    firstCall === null
      ? ""
      : ` ${user.disposable_email ? t("verifyEmail.disposable") : t("common:verifyEmail.freeCall", { amount: formatMoney(firstCall) })}`;
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
        {t("common:verifyEmail.again")}
      </Button>
    </aside>
  );
}

/** Says on every page that the account will be deleted, with a button that keeps it. */
export function ClosingNotice({
  at,
  alone,
}: {
  readonly at: string;
  /** Whether it is the page's only content. */ readonly alone: boolean;
}) {
  const Heading = alone ? "h1" : "h2";
  const { t } = useTranslation("account");
  const { busy, failure, change } = useChange(t("closing.failure"));
  const keep = () =>
    change(async () => {
      await keepAccount();
      toast.success(t("closing.keptDone"));
    });

  return (
    <section className={styles.closing} aria-label={t("closing.title")}>
      <Banner kind="warn">
        <Heading className="t-sub">{t("closing.title")}</Heading>
        <p>{t("closing.text", { date: formatDate(at) })}</p>
        {failure !== null && <p role="alert">{failure}</p>}
        <Button pair="action" busy={busy} onClick={() => void keep()}>
          {t("closing.keep")}
        </Button>
      </Banner>
    </section>
  );
}

const POLL_INTERVAL_MS = 15_000;
/** A mail server refuses an address within seconds, or minutes if it was unreachable. */
const MAX_POLLS = 20;

/** Polls the profile for some minutes, to show that the confirmation could not be delivered, or was opened elsewhere. */
export function useDeliveryWatch(): void {
  useQuery({ ...userQuery, refetchInterval: ({ state }) => state.dataUpdateCount < MAX_POLLS && POLL_INTERVAL_MS });
}

interface ResultMessage {
  readonly kind: "info" | "error";
  readonly text: string;
}

/** Resends the confirmation mail and stores the service's message. */
export function useResendVerification() {
  const { t } = useTranslation("common");
  const [busy, setBusy] = useState(false);
  const [message, setMessage] = useState<ResultMessage | null>(null);

  async function resend(): Promise<void> {
    setMessage(null);
    setBusy(true);
    try {
      const { message } = await request("POST /api/email/verification");
      setMessage({ kind: "info", text: message });
      void refreshProfile(); // it may be confirmed already, in another window
    } catch (error) {
      setMessage({ kind: "error", text: messageOf(error, t("verifyEmail.failure")) });
    } finally {
      setBusy(false);
    }
  }

  return { busy, message, resend };
}

/** Why calls and payments are refused, and what to do. */
export function LockedBanner({ because }: { readonly because: NonNullable<User["frozen_because"]> }) {
  const { t } = useTranslation("account");
  return (
    <Banner kind="warn">
      <p>
        <b>{t("locked.title")}</b>
      </p>
      <p>
        <span>{t(`locked.because.${because}`)}</span> <span>{t("locked.text")}</span>{" "}
        <Link className={styles.lockedLink} to="/cases/new">
          {t("locked.contact")}
        </Link>
      </p>
    </Banner>
  );
}
