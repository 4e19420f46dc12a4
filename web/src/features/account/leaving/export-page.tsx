import { mailLinkPaths } from "@farline/contract/constants.ts";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useTitle } from "../../../browser/page-hooks.ts";
import { ApiError, messageOf } from "../../../service/http.ts";
import { useLinkToken } from "../../../session/address-secrets.ts";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { Banner } from "../../../ui/messages/banner.tsx";
import { downloadExport } from "../account-queries.ts";
import * as styles from "../account.module.css";

/** Target of the mailed link to the customer's data, with a download button. */
export function ExportPage() {
  const { t } = useTranslation("account");
  const token = useLinkToken(mailLinkPaths.exportReady);
  useTitle(t("download.title"));
  return (
    <>
      <h1 className="t-page head">{t("download.title")}</h1>
      <Card>
        <div className={styles.part}>
          {token === null ? <p>{t("download.noLink")}</p> : <Download key={token} token={token} />}
          <ButtonLink to="/account">{t("download.toAccount")}</ButtonLink>
        </div>
      </Card>
    </>
  );
}

type State = "waiting" | "busy" | "begun" | { readonly failure: string; readonly final: boolean };

function Download({ token }: { readonly token: string }) {
  const { t } = useTranslation("account");
  const [state, setState] = useState<State>("waiting");
  const failed = typeof state === "object";

  async function download(): Promise<void> {
    setState("busy");
    try {
      await downloadExport(token);
      setState("begun");
    } catch (error) {
      const final = error instanceof ApiError && error.code === "link_expired";
      setState({ failure: final ? t("download.expired") : messageOf(error, t("download.failure")), final });
    }
  }

  if (state === "begun") return <p role="status">{t("download.begun")}</p>;
  return (
    <>
      {failed ? <Banner kind="error">{state.failure}</Banner> : <p>{t("download.text")}</p>}
      {!(failed && state.final) && (
        <Button pair="action" busy={state === "busy"} onClick={() => void download()}>
          {t("download.button")}
        </Button>
      )}
    </>
  );
}
