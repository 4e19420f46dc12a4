import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactElement } from "react";
import { useTranslation } from "react-i18next";
import { ApiError, messageOf } from "../../service/http.ts";
import { useToken } from "../../session/session.ts";
import { useTitle } from "../../browser/use-title.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Spinner } from "../../ui/waiting/spinner.tsx";
import { AuthFrame } from "./auth-frame.tsx";
import { classNames } from "../../ui/class-names.ts";
import * as styles from "./auth-frame.module.css";

interface LinkScreenProps<Answer> {
  readonly link: { readonly token: string | null; readonly answer: UseQueryResult<Answer> };
  /** Headings while the request runs and after it failed. */
  readonly texts: { readonly waiting: string; readonly failed: string };
  /** Shown when the link succeeded. */
  readonly done: (answer: Answer) => { readonly title: string; readonly text: string };
  /** Next step for an expired link. */
  readonly instead?: ReactElement;
}

/** Page of a mailed link that needs no further input. */
export function LinkScreen<Answer>({ link, texts, done, instead }: LinkScreenProps<Answer>) {
  const { t } = useTranslation(["auth", "common"]);
  const { token, answer } = link;
  useTitle(texts.waiting);
  if (token === null) return <MessageScreen title={texts.failed} text={t("link.missing")} more={instead} />;
  if (answer.isSuccess) return <MessageScreen {...done(answer.data)} />;
  if (answer.isError && !answer.isFetching) {
    const refused = answer.error instanceof ApiError && answer.error.fromService && answer.error.status < 500;
    const again = (
      <Button pair="action" size="lg" wide onClick={() => void answer.refetch()}>
        {t("common:tryAgain")}
      </Button>
    );
    return (
      <MessageScreen
        title={texts.failed}
        text={messageOf(answer.error, t("link.unreachable"))}
        more={refused ? instead : again}
        alert
      />
    );
  }
  return (
    <AuthFrame>
      <div className={classNames(styles.form, styles.wait)} role="status">
        <Spinner large />
        <h1 className="t-page">{texts.waiting}</h1>
      </div>
    </AuthFrame>
  );
}

interface MessageScreenProps {
  readonly title: string;
  readonly text: string;
  readonly more?: ReactElement;
  readonly alert?: boolean;
}

/** A heading, a sentence and a link back to the app. */
export function MessageScreen({ title, text, more, alert = false }: MessageScreenProps) {
  const { t } = useTranslation("auth");
  const signedIn = useToken() !== null;
  return (
    <AuthFrame>
      <div className={styles.form}>
        <div className={styles.said} role={alert ? "alert" : "status"}>
          <h1 className="t-page">{title}</h1>
          <p className="lead">{text}</p>
        </div>
        {more}
        <ButtonLink pair={more === undefined ? "action" : "quiet"} size="lg" wide to={signedIn ? "/dialer" : "/login"}>
          {signedIn ? t("link.toDialer") : t("login.submit")}
        </ButtonLink>
      </div>
    </AuthFrame>
  );
}
