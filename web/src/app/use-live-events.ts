import { useEffect } from "react";
import { whenIdle } from "../browser/when-idle.ts";

/** The page itself comes first. */
const BEGIN_WITHIN_MS = 1000;

/** Keeps the page fresh by the service's live hints. Fetched after the page itself, which works without. */
export function useLiveEvents(): void {
  useEffect(() => {
    let stop: (() => void) | null = null;
    let gone = false;
    const follow = async () => {
      await whenIdle(BEGIN_WITHIN_MS);
      if (gone) return;
      const { followLiveEvents } = await import("../service/live-events.ts");
      if (!gone) stop = followLiveEvents();
    };
    // Without a network: the page reads again by itself when it has one.
    follow().catch(() => undefined);
    return () => {
      gone = true;
      stop?.();
    };
  }, []);
}
