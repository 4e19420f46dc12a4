import type { Phone } from "../../../phone/phone.ts";
import { isCallOpen, type PhoneState } from "../../../phone/phone-state.ts";
import { formatTimer } from "../../../text/format.ts";
import { soundWarning } from "../sound/key-sounds.ts";

/** Shown before the page's own title during a call. */
const MARK = " · ";

/**
 * What accompanies a call on every page: the screen stays on, headset and lock-screen buttons work, the
 * tab's title shows the time, and tones warn of the last minute and the last seconds of credit.
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
    ownTitle = showTimeInTitle(now, ownTitle);
    const warning = warningIn(now);
    if (warning !== null && warning !== warningIn(before)) soundWarning(warning, now.devices.speakerId);
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
    if (now.call.muted !== before.call?.muted) reportMicrophoneState(!now.call.muted);
  }
}

/** If the credit was low from the start, the warning comes when the call is answered. */
function warningIn({ status, call }: PhoneState): 60 | 15 | null {
  return status === "active" ? (call?.creditWarning ?? null) : null;
}

/** Browsers may return a rejecting promise, or undefined. */
function reportMicrophoneState(active: boolean): void {
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

/** @returns the title with the time, marked so that it differs from the page's own; "" if there is none */
function showTimeInTitle(state: PhoneState, shown: string): string {
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

/** A sleeping phone may end the call. A hidden page loses the lock and requests it again when visible. */
function keepScreenOn(on: boolean): void {
  wanted = on;
  if (!on) {
    document.removeEventListener("visibilitychange", lockAgain);
    void wakeLock?.release();
    wakeLock = null;
    return;
  }
  document.addEventListener("visibilitychange", lockAgain);
  void lockScreen();
}

async function lockScreen(): Promise<void> {
  if (!wanted || document.visibilityState !== "visible" || navigator.wakeLock === undefined) return;
  try {
    const lock = await navigator.wakeLock.request("screen");
    if (wanted) wakeLock = lock;
    else void lock.release();
  } catch {
    // Refused on low battery, or by an iPhone that wants a press; the call continues.
    document.addEventListener("pointerup", lockScreen, { once: true });
  }
}

function lockAgain(): void {
  if (wakeLock?.released !== false) void lockScreen();
}
