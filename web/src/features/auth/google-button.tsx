import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import google from "../../assets/google.svg";
import { messageOf, request } from "../../service/http.ts";
import { Button } from "../../ui/button.tsx";
import * as buttonStyles from "../../ui/button.module.css";

/** Opens Google's sign-in page, which redirects to the callback page. */
export function GoogleButton({ onFailure }: { readonly onFailure: (message: string | null) => void }) {
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
