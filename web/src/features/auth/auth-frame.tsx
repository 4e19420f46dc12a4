import type { UseMutationResult } from "@tanstack/react-query";
import { type ReactElement, type ReactNode, useLayoutEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import cord from "../../assets/cord-login.svg";
import mark from "../../assets/mark-petrol.svg";
import { takeDrawnForm } from "../../browser/drawn-page.ts";
import { useTitle } from "../../browser/page-hooks.ts";
import { ApiError, messageOf } from "../../service/http.ts";
import { useToken } from "../../session/session.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { classNames } from "../../ui/class-names.ts";
import { Banner } from "../../ui/messages/banner.tsx";
import * as styles from "./auth.module.css";

/** The yellow panel with the telephone cord, next to a form. */
export function AuthFrame({ children }: { readonly children: ReactNode }) {
  const { t } = useTranslation(["auth", "common"]);
  const main = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    // Submitted once React has finished, because a form reads its fields in a render of its own.
    if (takeDrawnForm(main.current)) queueMicrotask(() => main.current?.querySelector("form")?.requestSubmit());
  }, []);
  return (
    <div className={styles.auth}>
      <header className={classNames(styles.art, "on-credit")}>
        <Link className="brand" to="/" aria-label={t("home")}>
          <img src={mark} alt="" width="36" height="36" />
          <span>{t("common:brand")}</span>
        </Link>
        <p className={classNames(styles.claim, "display")}>
          <span>{t("claim.far")}</span>
          <br />
          <span>{t("claim.line")}</span>
        </p>
        <img className={styles.cord} src={cord} alt="" width="700" height="470" />
      </header>
      <main className={styles.main} id="main" ref={main}>
        {children}
      </main>
    </div>
  );
}

interface LinkScreenProps<Answer> {
  readonly link: { readonly token: string | null; readonly use: UseMutationResult<Answer, Error, void> };
  /** Its texts: what the press does, the button, the button while the request runs, and the heading after it failed. */
  readonly texts: "verify" | "changeEmail" | "newsletter" | "unsubscribe";
  /** Shown when the link succeeded. */
  readonly done: (answer: Answer) => { readonly title: string; readonly text: string };
  /** Next step for an expired link. */
  readonly instead?: ReactElement;
}

/** Page of a mailed link that needs nothing but a press. */
export function LinkScreen<Answer>({ link, texts, done, instead }: LinkScreenProps<Answer>) {
  const { t } = useTranslation("auth");
  const { token, use } = link;
  const [heading, failed] = [t(`${texts}.heading`), t(`${texts}.failed`)];
  useTitle(heading);
  if (token === null) return <MessageScreen title={failed} text={t("link.missing")} more={instead} />;
  if (use.isSuccess) return <MessageScreen {...done(use.data)} />;
  if (use.error instanceof ApiError && use.error.fromService && use.error.status < 500)
    return <MessageScreen title={failed} text={use.error.message} more={instead} alert />;
  return (
    <AuthFrame>
      <div className={styles.form}>
        <h1 className="t-page">{heading}</h1>
        <p className="lead">{t(`${texts}.text`)}</p>
        {use.isError && <Banner kind="error">{messageOf(use.error, t("link.unreachable"))}</Banner>}
        <Button pair="action" size="lg" wide busy={use.isPending} onClick={() => use.mutate()}>
          {t(use.isPending ? `${texts}.waiting` : `${texts}.submit`)}
        </Button>
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
