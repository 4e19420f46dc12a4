import { IconFingerprint } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import google from "../../assets/google.svg";
import { useShell } from "../../browser/page-hooks.ts";
import { messageOf, request } from "../../service/http.ts";
import { configQuery } from "../../service/queries.ts";
import { PasskeyError, passkeysSupported, signWithPasskey } from "../../session/passkey.ts";
import { Button } from "../../ui/button.tsx";
import { classNames } from "../../ui/class-names.ts";
import { Icon } from "../../ui/icon.tsx";
import { signInWithPasskey } from "./sign-in.ts";
import * as buttonStyles from "../../ui/button.module.css";
import * as styles from "./auth.module.css";

interface OtherWaysProps {
  /** Passkeys need an existing account. */
  readonly passkey?: boolean;
  readonly onFailure: (message: string | null) => void;
}

/** Ways to sign in without a password. Reserves space for the Google button until the configuration is loaded. */
export function OtherWays({ passkey = false, onFailure }: OtherWaysProps) {
  const { t } = useTranslation("auth");
  const config = useQuery(configQuery);
  const shell = useShell();
  const google = config.isPending || config.data?.google === true;
  const withPasskey = passkey && passkeysSupported();
  if (!google && !withPasskey) return null;
  return (
    <div className={config.isPending ? classNames(styles.other, styles.otherWaiting) : styles.other} inert={shell}>
      <p className={styles.or}>
        <span>{t("or")}</span>
      </p>
      {google && <GoogleButton onFailure={onFailure} />}
      {withPasskey && <PasskeyButton onFailure={onFailure} />}
    </div>
  );
}

/** Opens Google's sign-in page, which redirects to the callback page. */
function GoogleButton({ onFailure }: { readonly onFailure: (message: string | null) => void }) {
  const { t } = useTranslation("auth");
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    // The back/forward cache may restore this page when the user returns without signing in.
    const shownAgain = () => setBusy(false);
    window.addEventListener("pageshow", shownAgain);
    return () => window.removeEventListener("pageshow", shownAgain);
  }, []);

  async function leave(): Promise<void> {
    onFailure(null);
    setBusy(true);
    try {
      const { url } = await request("GET /api/auth/google/redirect");
      window.location.assign(url);
    } catch (error) {
      setBusy(false);
      onFailure(messageOf(error, t("google.failed")));
    }
  }

  return (
    <Button wide className={buttonStyles.outline} busy={busy} onClick={() => void leave()}>
      {!busy && <img src={google} alt="" width="22" height="22" />}
      <span>{t("google.continue")}</span>
    </Button>
  );
}

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
