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

/** Runs what the service may refuse until the person has proved again who they are. */
type Guard = <Result>(run: () => Promise<Result>) => Promise<Result>;

const GuardContext = createContext<Guard>((run) => run());

interface Asked {
  readonly proved: () => void;
  readonly gaveUp: () => void;
}

/**
 * Asks for the password, and the code where signing in takes one, when the service wants it (`reauth_required`), then does again what was refused. Who gives up gets
 * an ApiError with the code `cancelled`, which no form shows.
 */
export function ReauthProvider({ children }: { readonly children: ReactNode }) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const guard = useMemo<Guard>(
    () => async (run) => {
      try {
        return await run();
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== "reauth_required") throw error;
        // Any page may ask; only the account page has these texts already.
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

/** @returns the guard around everything that changes how one gets into the account */
export function useGuard(): Guard {
  return useContext(GuardContext);
}

function ReauthDialog({ asked }: { readonly asked: Asked | null }) {
  const { t } = useTranslation("account");
  const { data: user } = useQuery(userQuery);
  // With an authenticator the password alone proves nothing.
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

/** Without a password the only proof is a new sign-in. */
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
