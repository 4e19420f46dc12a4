import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { passkeysSupported } from "../../session/passkey.ts";
import { configQuery } from "../../service/queries.ts";
import { GoogleButton } from "./google-button.tsx";
import { PasskeyButton } from "./passkey-button.tsx";
import { classNames } from "../../ui/class-names.ts";
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
  const google = config.isPending || config.data?.google === true;
  const withPasskey = passkey && passkeysSupported();
  if (!google && !withPasskey) return null;
  return (
    <div className={config.isPending ? classNames(styles.other, styles.otherWaiting) : styles.other}>
      <p className={styles.or}>
        <span>{t("or")}</span>
      </p>
      {google && <GoogleButton onFailure={onFailure} />}
      {withPasskey && <PasskeyButton onFailure={onFailure} />}
    </div>
  );
}
