/** Calls `listener` when this page is closed, reloaded, or left for another site, but not when it is only hidden. */
export function onLeave(listener: () => void): void {
  if (typeof window === "undefined") return;
  window.addEventListener("pagehide", ({ persisted }) => {
    if (!persisted) listener();
  });
}
