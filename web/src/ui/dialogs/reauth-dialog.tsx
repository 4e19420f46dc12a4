import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { request } from "../../service/http.ts";
import { signInMethodsQuery, userQuery } from "../../service/queries.ts";
import { useServiceForm } from "../../service/use-service-form.ts";
import { logOut } from "../../session/log-out.ts";
import { Banner } from "../messages/banner.tsx";
import { Button } from "../button.tsx";
import { Dialog } from "./dialog.tsx";
import { Field, PasswordField } from "../forms/field.tsx";
import { Form } from "../forms/form.tsx";
import * as styles from "./dialog.module.css";

/** Callbacks that settle the request. */
export interface Asked {
  readonly proved: () => void;
  readonly gaveUp: () => void;
}

/** Asks for the password, and for the code if signing in needs one. Its texts must be loaded. */
export function ReauthDialog({ asked }: { readonly asked: Asked }) {
  const { t } = useTranslation("account");
  const { data: user } = useQuery(userQuery);
  // With an authenticator, the password alone is not sufficient.
  const { data: methods } = useQuery({ ...signInMethodsQuery, staleTime: 0 });
  const withCode = (methods?.authenticator ?? null) !== null;
  return (
    <Dialog open onClose={asked.gaveUp} title={t("reauth.title")}>
      {user?.has_password === false ? (
        <SignInAgain asked={asked} />
      ) : (
        <PasswordAgain asked={asked} account={user?.email ?? ""} withCode={withCode} />
      )}
    </Dialog>
  );
}

interface PasswordAgainProps {
  readonly asked: Asked;
  readonly account: string;
  readonly withCode: boolean;
}

function PasswordAgain({ asked, account, withCode }: PasswordAgainProps) {
  const { t } = useTranslation(["account", "common"]);
  const form = useServiceForm({
    empty: { current_password: "", code: "" },
    send: async ({ current_password, code }) => {
      const values = withCode ? { current_password, code } : { current_password };
      await request("POST /api/reauthenticate", { body: values });
      asked.proved();
    },
    fallback: t("reauth.failure"),
    focusOnRefusal: "current_password",
    focusAtFirst: "current_password",
  });
  return (
    <Form className={styles.form} noValidate onSubmit={form.submit}>
      <p className="muted">{withCode ? t("reauth.textWithCode") : t("reauth.text")}</p>
      {form.failure !== null && <Banner kind="error">{form.failure}</Banner>}
      <PasswordField
        account={account}
        label={t("password.current")}
        autoComplete="current-password"
        {...form.required("current_password", t("password.currentRequired"))}
      />
      {withCode && (
        <Field
          label={t("reauth.code")}
          className="fig"
          autoComplete="one-time-code"
          autoCapitalize="none"
          spellCheck={false}
          {...form.required("code", t("reauth.codeRequired"))}
        />
      )}
      <div className={styles.foot}>
        <Button onClick={asked.gaveUp}>{t("common:cancel")}</Button>
        <Button pair="action" type="submit" busy={form.busy}>
          {t("reauth.submit")}
        </Button>
      </div>
    </Form>
  );
}

/** Without a password, the only proof is a new sign-in. */
function SignInAgain({ asked }: { readonly asked: Asked }) {
  const { t } = useTranslation(["account", "common"]);
  return (
    <div className={styles.form}>
      <p className="muted">{t("reauth.signInAgain")}</p>
      <div className={styles.foot}>
        <Button onClick={asked.gaveUp}>{t("common:cancel")}</Button>
        <Button pair="action" onClick={() => logOut("/login")}>
          {t("reauth.logOut")}
        </Button>
      </div>
    </div>
  );
}
