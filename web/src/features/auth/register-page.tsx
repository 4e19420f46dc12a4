import { Fragment, type ReactNode, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useSearchParams } from "react-router";
import { useQuery } from "@tanstack/react-query";
import { readCarriedNumber } from "../../browser/carried-number.ts";
import { setSigningUp, useToken } from "../../session/session.ts";
import { currentLanguage, leftToRight } from "../../text/i18n.ts";
import { useServiceForm } from "../../service/use-service-form.ts";
import { useTitle } from "../../browser/page-hooks.ts";
import { Banner } from "../../ui/messages/banner.tsx";
import { Field, PasswordField } from "../../ui/forms/field.tsx";
import { Button } from "../../ui/button.tsx";
import { AuthFrame } from "./auth-frame.tsx";
import { OtherWays } from "./other-ways.tsx";
import { register } from "./sign-in.ts";
import { RobotCheckStatus, useRobotCheck } from "./use-robot-check.tsx";
import { EmailCode } from "../../ui/forms/email-code.tsx";
import { Form } from "../../ui/forms/form.tsx";
import { formatMoney } from "../../text/format.ts";
import { keepInvitation } from "../../service/invitation.ts";
import { configQuery, userQuery } from "../../service/queries.ts";
import * as fieldStyles from "../../ui/forms/field.module.css";
import * as styles from "./auth.module.css";

const empty = { name: "", email: "", password: "", password_confirmation: "" };

/** The service judges the password and compares the two entries; its messages appear next to the fields. */
export function RegisterPage() {
  const { t } = useTranslation("auth");
  useTitle(t("register.title"));
  const robotCheck = useRobotCheck();
  const [googleFailure, setGoogleFailure] = useState<string | null>(null);
  const form = useServiceForm({
    empty,
    send: async (values) => {
      setGoogleFailure(null);
      setSigningUp(true);
      try {
        await robotCheck.run((proof) => register({ ...values, language: currentLanguage() }, proof));
      } catch (error) {
        setSigningUp(false);
        throw error;
      }
    },
    fallback: t("register.failure"),
  });
  const failure = googleFailure ?? form.failure;
  useEffect(() => () => setSigningUp(false), []);
  if (useToken() !== null) return <CodeStep />;
  return (
    <AuthFrame>
      <Form className={styles.form} method="post" noValidate onSubmit={form.submit}>
        <h1 className="t-page">{t("register.heading")}</h1>
        {failure !== null && <Banner kind="error">{failure}</Banner>}
        <InvitedNotice />
        <Field label={t("name")} autoComplete="name" {...form.required("name", t("nameRequired"))} />
        <Field label={t("email")} type="email" autoComplete="username" {...form.required("email", t("emailRequired"))} />
        <PasswordField
          account="above"
          label={t("password")}
          hint={t("passwordHint")}
          autoComplete="new-password"
          {...form.required("password", t("newPasswordRequired"))}
        />
        <PasswordField
          account="above"
          label={t("confirmPassword")}
          autoComplete="new-password"
          {...form.required("password_confirmation", t("confirmPasswordRequired"))}
        />
        <div>
          <Button pair="action" size="lg" wide type="submit" busy={form.busy}>
            {form.busy ? t("register.submitting") : t("register.submit")}
          </Button>
          <RobotCheckStatus checking={robotCheck.checking} />
          <p className={fieldStyles.hint}>
            <MarkedText text={t("register.accept")} parts={{ terms: linkTo("/terms"), privacy: linkTo("/privacy") }} />
          </p>
        </div>
        <OtherWays onFailure={setGoogleFailure} />
        <p className={styles.alt}>
          <span>{t("register.have")}</span>{" "}
          <Link className="link" to="/login">
            {t("register.signIn")}
          </Link>
        </p>
      </Form>
    </AuthFrame>
  );
}

const leave = (): void => setSigningUp(false);

/** The second step, on the same page: the code of the mail. The link in the mail does the same. */
function CodeStep() {
  const { t } = useTranslation("auth");
  const { data: user } = useQuery(userQuery);
  const { data: config } = useQuery(configQuery);
  const [number] = useState(() => readCarriedNumber(null)?.number ?? "");
  const isDone = user !== undefined && (user.email_verified || !user.link_mailed);
  useTitle(t("code.heading"));
  useEffect(() => {
    if (isDone) leave();
  }, [isDone]);
  if (user === undefined || isDone) return null;
  const isFree = config !== undefined && config.first_call !== null && !user.disposable_email;
  return (
    <AuthFrame>
      <div className={styles.form}>
        <h1 className="t-page">{t("code.heading")}</h1>
        <p>{t("code.sent", { email: user.email })}</p>
        {isFree && (
          <Banner kind="credit">
            <b>{t("code.confirmFree")}</b>
            {number !== "" && <p>{t("code.thenCall", { number: leftToRight(number) })}</p>}
          </Banner>
        )}
        <EmailCode
          email={user.email}
          submit={t("code.goOn")}
          takesFocus
          onDone={leave}
          instead={
            <button type="button" className="link" onClick={leave}>
              {t("code.later")}
            </button>
          }
        />
        <p className="muted small">{t("code.spam")}</p>
      </div>
    </AuthFrame>
  );
}

/** A link that leaves the typed form open. */
function linkTo(path: string): (words: string) => ReactNode {
  return (words) => (
    <a className="link" href={path} target="_blank" rel="noreferrer">
      {words}
    </a>
  );
}

/** Shows the bonus of an invitation link, and stores the invitation until sign-up. */
function InvitedNotice() {
  const { t } = useTranslation("auth");
  const [query] = useSearchParams();
  const code = query.get("ref") ?? "";
  const { data: config } = useQuery({ ...configQuery, enabled: code !== "" });
  useEffect(() => {
    if (code !== "") keepInvitation(code);
  }, [code]);
  if (code === "" || config === undefined || config.referral === null) return null;
  const { bonus, min_top_up: min } = config.referral;
  return <Banner kind="credit">{t("register.invited", { bonus: formatMoney(bonus), min: formatMoney(min) })}</Banner>;
}

interface MarkedTextProps {
  /** For example "You agree to the <terms>Terms</terms>." */
  readonly text: string;
  /** For each mark, what its words become. */
  readonly parts: Readonly<Record<string, (words: string) => ReactNode>>;
}

/** A text with elements, such as links, in the middle of a sentence: each language marks the words and puts them in its own order. */
function MarkedText({ text, parts }: MarkedTextProps) {
  // Splitting by a pattern with two groups gives plain words, a mark, its words, plain words, and so on.
  const pieces = text.split(/<(\w+)>([^<]*)<\/\w+>/);
  return pieces.map((piece, index) => {
    if (index % 3 === 0) return <span key={index}>{piece}</span>;
    return index % 3 === 1 && <Fragment key={index}>{parts[piece]?.(pieces[index + 1] ?? "")}</Fragment>;
  });
}
