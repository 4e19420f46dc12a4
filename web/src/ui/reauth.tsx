import { useQuery } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { ApiError, request } from "../service/http.ts";
import { loadTexts } from "../text/i18n.ts";
import { logOut } from "../session/log-out.ts";
import { signInMethodsQuery, userQuery } from "../service/queries.ts";
import { useServiceForm } from "../service/use-service-form.ts";
import { Banner } from "./banner.tsx";
import { Dialog } from "./dialog.tsx";
import { Field, PasswordField } from "./field.tsx";
import { Button } from "./button.tsx";

/** Runs an action that the service may refuse until the user reauthenticates. */
type Guard = <Result>(run: () => Promise<Result>) => Promise<Result>;

const GuardContext = createContext<Guard>((run) => run());

interface Asked {
  readonly proved: () => void;
  readonly gaveUp: () => void;
}

/**
 * When the service requires it (`reauth_required`), asks for the password, and for the code if sign-in needs one, then
 * repeats the refused action. If the user cancels, the action fails with an ApiError `cancelled`, which no form shows.
 */
export function ReauthProvider({ children }: { readonly children: ReactNode }) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const guard = useMemo<Guard>(
    () => async (run) => {
      try {
        return await run();
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== "reauth_required") throw error;
        // Any page may ask, but only the account page has loaded these texts.
        await loadTexts("account");
        await new Promise<void>((proved, refused) => {
          setAsked({ proved, gaveUp: () => refused(new ApiError(0, "cancelled", "Nothing was changed.")) });
        }).finally(() => setAsked(null));
        return await run();
      }
    },
    [],
  );
  return (
    <GuardContext value={guard}>
      {children}
      <ReauthDialog asked={asked} />
    </GuardContext>
  );
}

/** @returns the guard for every action that changes how the user signs in */
export function useGuard(): Guard {
  return useContext(GuardContext);
}

function ReauthDialog({ asked }: { readonly asked: Asked | null }) {
  const { t } = useTranslation("account");
  const { data: user } = useQuery(userQuery);
  // With an authenticator, the password alone is not sufficient.
  const { data: methods } = useQuery({ ...signInMethodsQuery, enabled: asked !== null, staleTime: 0 });
  const withCode = (methods?.authenticator ?? null) !== null;
  return (
    <Dialog open={asked !== null} onClose={() => asked?.gaveUp()} title={t("reauth.title")}>
      {asked !== null &&
        (user?.has_password === false ? <SignInAgain asked={asked} /> : <PasswordAgain asked={asked} withCode={withCode} />)}
    </Dialog>
  );
}

function PasswordAgain({ asked, withCode }: { readonly asked: Asked; readonly withCode: boolean }) {
  const { t } = useTranslation(["account", "common"]);
  const form = useServiceForm({
    empty: { current_password: "", code: "" },
    send: async ({ current_password, code }) => {
      const values = withCode ? { current_password, code } : { current_password };
      await request("POST", "/reauthenticate", { body: values });
      asked.proved();
    },
    fallback: t("reauth.failure"),
    focusOnRefusal: "current_password",
  });
  return (
    <form className="dialog__form" noValidate onSubmit={form.submit}>
      <p className="muted">{withCode ? t("reauth.textWithCode") : t("reauth.text")}</p>
      {form.failure !== null && <Banner kind="error">{form.failure}</Banner>}
      <PasswordField
        label={t("password.current")}
        autoComplete="current-password"
        required
        {...form.field("current_password", { required: t("password.currentRequired") })}
      />
      {withCode && (
        <Field
          label={t("reauth.code")}
          className="fig"
          autoComplete="one-time-code"
          autoCapitalize="none"
          spellCheck={false}
          required
          {...form.field("code", { required: t("reauth.codeRequired") })}
        />
      )}
      <div className="dialog__foot">
        <Button onClick={asked.gaveUp}>{t("common:cancel")}</Button>
        <Button pair="action" type="submit" busy={form.busy}>
          {t("reauth.submit")}
        </Button>
      </div>
    </form>
  );
}

/** Without a password, the only proof is a new sign-in. */
function SignInAgain({ asked }: { readonly asked: Asked }) {
  const { t } = useTranslation(["account", "common"]);
  return (
    <div className="dialog__form">
      <p className="muted">{t("reauth.signInAgain")}</p>
      <div className="dialog__foot">
        <Button onClick={asked.gaveUp}>{t("common:cancel")}</Button>
        <Button pair="action" onClick={logOut}>
          {t("reauth.logOut")}
        </Button>
      </div>
    </div>
  );
}
