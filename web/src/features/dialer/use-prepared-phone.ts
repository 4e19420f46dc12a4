import { useEffect } from "react";
import { useOnline } from "../../browser/use-online.ts";
import { phone } from "./phone-session.ts";
import { useCallMeant } from "./call/use-call-meant.ts";

/**
 * Asks at once for a call that runs already, which is a small question. Loads the phone engine and connects it with the
 * first sign that a call is meant, so that it is there before a number is typed, and costs nobody anything who only looks.
 * Connects again after the network came back.
 */
export function usePreparedPhone(): void {
  const online = useOnline();
  const meant = useCallMeant();
  useEffect(() => {
    if (online) phone.refresh();
  }, [online]);
  useEffect(() => {
    if (meant && online) void phone.prepare();
  }, [meant, online]);
}
