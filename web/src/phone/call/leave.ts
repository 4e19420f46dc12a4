/** Calls `listener` when this page goes away: closed, loaded anew, or left for another site. Not when it is only put aside. */
export function onLeave(listener: () => void): void {
  if (typeof window === "undefined") return;
  window.addEventListener("pagehide", ({ persisted }) => {
    if (!persisted) listener();
  });
}
