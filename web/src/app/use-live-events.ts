import { useEffect } from "react";

/** Keeps the page fresh by the service's live hints. Fetched after the page itself, which works without. */
export function useLiveEvents(): void {
  useEffect(() => {
    let stop: (() => void) | null = null;
    let gone = false;
    const follow = async () => {
      const { followLiveEvents } = await import("../lib/live-events.ts");
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
