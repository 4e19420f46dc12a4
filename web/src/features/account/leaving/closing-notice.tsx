import { useState } from "react";
import { useTranslation } from "react-i18next";
import { messageOf } from "../../../service/http.ts";
import { formatDate } from "../../../text/format.ts";
import { Banner } from "../../../ui/messages/banner.tsx";
import { Button } from "../../../ui/button.tsx";
import { toast } from "../../../ui/messages/toast.ts";
import { keepAccount } from "./leaving-queries.ts";
import * as styles from "./closing-notice.module.css";

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
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);

  async function keep(): Promise<void> {
    setBusy(true);
    setFailure(null);
    try {
      await keepAccount();
      toast.success(t("closing.keptDone"));
    } catch (error) {
      setFailure(messageOf(error, t("closing.failure")));
    } finally {
      setBusy(false);
    }
  }

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
