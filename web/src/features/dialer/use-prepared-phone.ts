import { useEffect } from "react";
import { whenIdle } from "../../browser/page-life.ts";
import { useOnline } from "../../browser/use-online.ts";
import { followCalls, phone } from "./phone-session.ts";
import { useCallIntent } from "./call/use-call-intent.ts";

/** The page comes first. */
const CHECK_WITHIN_MS = 1500;

/**
 * Requests a call that may already be running, which is cheap. Loads and connects the phone engine at the
 * first sign that a call is intended: it is ready before a number is typed, and costs nothing for visitors who do not call.
 * Reconnects when the network returns. Whether calls can work at all is checked before.
 */
export function usePreparedPhone(): void {
  const online = useOnline();
  const intended = useCallIntent();
  useEffect(() => {
    if (online) followCalls();
  }, [online]);
  useEffect(() => void whenIdle(CHECK_WITHIN_MS).then(() => phone.checkPage()), []);
  useEffect(() => {
    if (intended && online) void phone.prepare();
  }, [intended, online]);
}
