import { useState } from "react";
import { ApiError, messageOf } from "../service/http.ts";
import { useGuard } from "./reauth.tsx";

/**
 * One change of the account at a time, with the reason when it failed. What the service refuses until the person proves
 * who they are is asked for and done again.
 * @param fallback shown when the service gave no message
 */
export function useChange(fallback: string) {
  const guard = useGuard();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);

  /** @returns true when it was done */
  async function change(action: () => Promise<void>): Promise<boolean> {
    if (busy) return false;
    setFailure(null);
    setBusy(true);
    try {
      await guard(action);
      return true;
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== "cancelled") setFailure(messageOf(error, fallback));
      return false;
    } finally {
      setBusy(false);
    }
  }

  return { busy, failure, change, clear: () => setFailure(null) };
}
