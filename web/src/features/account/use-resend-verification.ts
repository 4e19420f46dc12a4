import { useState } from "react";
import { useTranslation } from "react-i18next";
import { messageOf, request } from "../../service/http.ts";
import { refreshProfile } from "./refresh-profile.ts";

interface ResultMessage {
  readonly kind: "info" | "error";
  readonly text: string;
}

/** Resends the confirmation mail and stores the service's message. */
export function useResendVerification() {
  const { t } = useTranslation();
  const [busy, setBusy] = useState(false);
  const [message, setMessage] = useState<ResultMessage | null>(null);

  async function resend(): Promise<void> {
    setMessage(null);
    setBusy(true);
    try {
      const { message } = await request("POST /api/email/verification");
      setMessage({ kind: "info", text: message });
      void refreshProfile(); // it may be confirmed already, in another window
    } catch (error) {
      setMessage({ kind: "error", text: messageOf(error, t("verifyEmail.failure")) });
    } finally {
      setBusy(false);
    }
  }

  return { busy, message, resend };
}
