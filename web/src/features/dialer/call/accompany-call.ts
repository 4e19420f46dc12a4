import type { Phone } from "../../../phone/phone.ts";
import { isCallOpen, type PhoneState } from "../../../phone/phone-state.ts";
import { formatTimer } from "../../../text/format.ts";
import { soundWarning } from "../sound/key-sounds.ts";

/** Stands before the page's own title while a call runs. */
const MARK = " · ";

/**
 * What goes with a call wherever its caller looks: the screen stays on, headsets and lock screens have their keys, the
 * tab's title tells the time, and the last minute and the last seconds of credit are heard.
 */
export function accompanyCall(phone: Phone, whom: (state: PhoneState) => string): void {
  let last = phone.state;
  let ownTitle = "";
  phone.subscribe(() => {
    const now = phone.state;
    const before = last;
    last = now;
    if (isCallOpen(now) !== isCallOpen(before)) keepScreenOn(isCallOpen(now));
    showOnMediaKeys(before, now);
    ownTitle = tellTimeInTitle(now, ownTitle);
    const warning = warningIn(now);
    if (warning !== null && warning !== warningIn(before)) soundWarning(warning);
  });

  function showOnMediaKeys(before: PhoneState, now: PhoneState): void {
    const session = navigator.mediaSession;
    if (session === undefined) return;
    const open = isCallOpen(now);
    if (open !== isCallOpen(before)) {
      session.playbackState = open ? "playing" : "none";
      if (!open) session.metadata = null;
      handle("hangup", open ? () => phone.hangUp() : null);
      handle("togglemicrophone", open ? () => void phone.toggleMute() : null);
    }
    if (!open || now.call === null) return;
    if (now.call.callId !== before.call?.callId || !isCallOpen(before))
      session.metadata = new MediaMetadata({ title: whom(now) });
    if (now.call.muted !== before.call?.muted) tellMicrophone(!now.call.muted);
  }
}

/** A call whose credit was short from the start is warned of with its answer. */
function warningIn({ status, call }: PhoneState): 60 | 15 | null {
  return status === "active" ? (call?.creditWarning ?? null) : null;
}

/** Some browsers return a promise that rejects, others return nothing. */
function tellMicrophone(active: boolean): void {
  void Promise.resolve(navigator.mediaSession.setMicrophoneActive?.(active)).catch(() => undefined);
}

/** Browsers throw for media actions that they do not support. */
function handle(action: string, handler: (() => void) | null): void {
  try {
    navigator.mediaSession.setActionHandler(action as MediaSessionAction, handler);
  } catch {
    // The page's own buttons still work.
  }
}

/** @returns the title with the time, to be told from the page's own; "" when there is none */
function tellTimeInTitle(state: PhoneState, shown: string): string {
  const title = document.title === shown && shown !== "" ? shown.slice(shown.indexOf(MARK) + MARK.length) : document.title;
  if (state.status !== "active" || state.call === null) {
    if (document.title === shown && shown !== "") document.title = title;
    return "";
  }
  const next = `${formatTimer(state.call.elapsedSeconds)}${MARK}${title}`;
  if (document.title !== next) document.title = next;
  return next;
}

let wakeLock: WakeLockSentinel | null = null;
let wanted = false;

/** A phone that falls asleep may take the call with it. A hidden page loses the lock and takes it again when it is seen. */
function keepScreenOn(on: boolean): void {
  wanted = on;
  if (!on) {
    void wakeLock?.release();
    wakeLock = null;
    return;
  }
  void lockScreen();
}

async function lockScreen(): Promise<void> {
  if (!wanted || document.visibilityState !== "visible" || navigator.wakeLock === undefined) return;
  try {
    const lock = await navigator.wakeLock.request("screen");
    if (wanted) wakeLock = lock;
    else void lock.release();
  } catch {
    // Refused on low battery; the call continues.
  }
}

document.addEventListener("visibilitychange", () => {
  if (wanted && wakeLock?.released !== false) void lockScreen();
});
