import { useState } from "react";
import { messageOf, wasCancelled } from "../service/http.ts";

/**
 * Runs one account change at a time and keeps the reason if it failed. Reauthenticates if the service requires it and then
 * repeats the change.
 * @param fallback shown when the service sent no message
 */
export function useChange(fallback: string) {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);

  /** @returns true when the change succeeded */
  async function change(action: () => Promise<void>): Promise<boolean> {
    if (busy) return false;
    setFailure(null);
    setBusy(true);
    try {
      await action();
      return true;
    } catch (error) {
      if (!wasCancelled(error)) setFailure(messageOf(error, fallback));
      return false;
    } finally {
      setBusy(false);
    }
  }

  return { busy, failure, change, clear: () => setFailure(null) };
}
