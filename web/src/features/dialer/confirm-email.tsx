import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { userQuery } from "../../service/queries.ts";
import { formatDuration } from "../../text/format.ts";
import { EmailCode } from "../../ui/forms/email-code.tsx";
import * as styles from "./dialer-parts.module.css";
import { useCreditToConfirm } from "./dialer-queries.ts";

interface ConfirmEmailProps {
  /** How long the call to the number in the field will be free; null before a number is entered. */
  readonly seconds: number | null;
}

/** Asks for the code of the mail, which the free first call waits for. It goes away once the address is confirmed, here or in another tab. */
export default function ConfirmEmail({ seconds }: ConfirmEmailProps) {
  const { t } = useTranslation("auth");
  const { data: user } = useQuery(userQuery);
  const isFree = useCreditToConfirm() !== null;
  if (user === undefined || user.email_verified) return null;
  return (
    <section className={styles.confirm} aria-labelledby="confirm-email">
      <h2 className={styles.confirmTitle} id="confirm-email">
        {t(isFree ? "code.confirmFree" : "code.confirm")}
      </h2>
      <p className="muted small">
        <span role={user.email_refused ? "alert" : undefined}>
          {t(user.email_refused ? "code.refused" : "code.sent", { email: user.email })}
        </span>{" "}
        {seconds !== null && <span>{t("code.thisNumber", { length: formatDuration(seconds) })}</span>}
      </p>
      <EmailCode
        email={user.email}
        submit={t("code.submit")}
        takesFocus={false}
        instead={
          seconds === null ? undefined : (
            <Link className="link" to="/topup">
              {t("code.topUp")}
            </Link>
          )
        }
      />
    </section>
  );
}
