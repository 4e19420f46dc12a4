import { useEffect } from "react";
import { useOnline } from "../../lib/use-online.ts";
import { phone } from "./phone-session.ts";

/** Long enough for the page to be painted first, short enough to be done before a number is typed. */
const PREPARE_AFTER_MS = 150;

/** Connects the phone while the caller is still choosing whom to call, and again after the network came back. */
export function usePreparedPhone(): void {
  const online = useOnline();
  useEffect(() => {
    if (!online) return undefined;
    const timer = setTimeout(() => void phone.prepare(), PREPARE_AFTER_MS);
    return () => clearTimeout(timer);
  }, [online]);
}
