import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { configQuery } from "../../../service/queries.ts";
import { Card } from "../../../ui/card.tsx";
import { LoadFailure } from "../../../ui/empty-state.tsx";
import { SkeletonRows } from "../../../ui/waiting/skeleton.tsx";
import { signInMethodsQuery } from "../../../service/queries.ts";
import { AuthenticatorCard } from "./authenticator-card.tsx";
import { GoogleCard } from "./google-card.tsx";
import { PasskeysCard } from "./passkeys-card.tsx";

/** The second factor, passkeys and Google: every sign-in method except the password. */
export function SignInMethods() {
  const { t } = useTranslation("account");
  const methods = useQuery(signInMethodsQuery);
  const config = useQuery(configQuery);
  if (methods.data === undefined)
    return (
      <Card title={t("methods.title")}>
        {methods.isError ? <LoadFailure text={t("methods.loadFailure")} of={methods} /> : <SkeletonRows rows={3} />}
      </Card>
    );
  const { authenticator, passkeys, google } = methods.data;
  return (
    <>
      <AuthenticatorCard authenticator={authenticator} />
      <PasskeysCard passkeys={passkeys} />
      {(google !== null || config.data?.google === true) && <GoogleCard google={google} />}
    </>
  );
}
