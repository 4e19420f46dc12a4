import { createListeners } from "./listeners.ts";

const { notify, subscribe } = createListeners();
/** Whether the service has answered since the browser last said that it is online or offline. */
let isReached = false;

export const subscribeToOnline = subscribe;

/** False while the browser says that it is offline and the service does not answer. Behind a VPN or a proxy some browsers say so wrongly. */
export function isOnline(): boolean {
  return isReached || !("onLine" in navigator) || navigator.onLine;
}

/** The service has answered, or cannot be reached. */
export function noteReach(reached: boolean): void {
  if (isReached === reached) return;
  isReached = reached;
  notify();
}

function hearBrowser(): void {
  isReached = false;
  notify();
}

if (typeof window !== "undefined") {
  window.addEventListener("online", hearBrowser);
  window.addEventListener("offline", hearBrowser);
}
