import { useEffect } from "react";
import { whenIdle } from "../browser/when-idle.ts";

/** The page itself loads first. */
const BEGIN_WITHIN_MS = 1000;

/** Keeps the page up to date through live hints. Loaded after the page, which works without it. */
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
    // Offline: the page refetches by itself once the network is back.
    follow().catch(() => undefined);
    return () => {
      gone = true;
      stop?.();
    };
  }, []);
}
