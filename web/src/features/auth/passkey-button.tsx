import { IconFingerprint } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { messageOf, request } from "../../service/http.ts";
import { PasskeyError, signWithPasskey } from "../../session/passkey.ts";
import { Icon } from "../../ui/icon.tsx";
import { Button } from "../../ui/button.tsx";
import { signInWithPasskey } from "./sign-in.ts";
import * as buttonStyles from "../../ui/button.module.css";

/** Signs in with only a passkey, which replaces both the password and the second factor. */
export function PasskeyButton({ onFailure }: { readonly onFailure: (message: string | null) => void }) {
  const { t } = useTranslation("auth");
  const [busy, setBusy] = useState(false);

  async function signIn(): Promise<void> {
    onFailure(null);
    setBusy(true);
    try {
      const { options } = await request("POST /api/login/passkey/options");
      await signInWithPasskey({ credential: await signWithPasskey(options) });
    } catch (error) {
      setBusy(false);
      const fallback = error instanceof PasskeyError && error.problem === "stopped" ? t("passkey.stopped") : t("passkey.failed");
      onFailure(messageOf(error, fallback));
    }
  }

  return (
    <Button wide className={buttonStyles.outline} busy={busy} onClick={() => void signIn()}>
      {!busy && <Icon of={IconFingerprint} />}
      <span>{t("passkey.signIn")}</span>
    </Button>
  );
}
