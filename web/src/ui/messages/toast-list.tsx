import { IconAlertTriangle, IconCircleCheckFilled, IconExclamationCircle, IconInfoCircle, IconX } from "@tabler/icons-react";
import { type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { useTranslation } from "react-i18next";
import { Icon } from "../icon.tsx";
import { Button } from "../button.tsx";
import { useTopDialog } from "../dialogs/dialog.tsx";
import { attachToaster, type ToastItem, type ToastKind } from "./toast.ts";
import { after } from "../../time/timers.ts";
import * as styles from "./toast-list.module.css";

const icons = {
  success: IconCircleCheckFilled,
  info: IconInfoCircle,
  warning: IconAlertTriangle,
  error: IconExclamationCircle,
} as const satisfies Record<ToastKind, unknown>;

/** Duration of the exit animation (specification §9). */
const EXIT_MS = 300;

/**
 * The stack of toasts, newest first. Hover and focus pause them, the user's next action on the page closes them. They are
 * announced, errors at once, and stand in the dialog that is open, because nothing outside it is announced or can be pressed.
 */
export function ToastList() {
  const [shown, setShown] = useState<readonly ShownToast[]>([]);
  const [paused, setPaused] = useState(false);
  const dialog = useTopDialog();
  useEffect(() => onNextAction(() => setShown(closeAll)), []);
  useEffect(
    () =>
      attachToaster({
        show: (item) => setShown((all) => addToast(all, item)),
        dismiss: (key) => setShown((all) => closeToast(all, key)),
      }),
    [],
  );
  const toasts = shown.map((item) => (
    <Toast
      key={item.id}
      item={item}
      paused={paused}
      onClose={() => setShown((all) => closeToast(all, item.id))}
      onGone={() => {
        setShown((all) => removeToast(all, item));
        // A toast removed under the pointer sends no pointerleave.
        setPaused(false);
      }}
    />
  ));
  // The page's region stays: what comes as a dialog closes is announced only where a region was before.
  return (
    <>
      <Region dialog={null} onPause={setPaused}>
        {dialog === null && toasts}
      </Region>
      {dialog !== null && (
        <Region dialog={dialog} onPause={setPaused}>
          {toasts}
        </Region>
      )}
    </>
  );
}

interface RegionProps {
  /** Null for the region of the page. */
  readonly dialog: HTMLDialogElement | null;
  readonly onPause: (paused: boolean) => void;
  readonly children: ReactNode;
}

function Region({ dialog, onPause, children }: RegionProps) {
  const { t } = useTranslation();
  const region = useCallback((element: HTMLElement) => pauseWhile(element, onPause), [onPause]);
  const section = (
    <section ref={region} className={styles.toasts} aria-label={t("messages")} aria-live="polite" aria-relevant="additions text">
      {children}
    </section>
  );
  return dialog === null ? section : createPortal(section, dialog);
}

/** Reports when the pointer or focus enters and leaves the toasts. Returns the stop function. */
function pauseWhile(region: HTMLElement, onPause: (paused: boolean) => void): () => void {
  const stop = new AbortController();
  const { signal } = stop;
  for (const coming of ["pointerenter", "focusin"]) region.addEventListener(coming, () => onPause(true), { signal });
  for (const leaving of ["pointerleave", "focusout"]) region.addEventListener(leaving, () => onPause(false), { signal });
  return () => {
    stop.abort();
    onPause(false);
  };
}

/** Calls `onAction` for a press or an input outside the toasts, before the page handles it and may show a new toast. Returns the stop function. */
function onNextAction(onAction: () => void): () => void {
  const stop = new AbortController();
  const act = ({ target }: Event) => {
    if (!(target instanceof Element && target.closest(`.${styles.toasts}`))) onAction();
  };
  for (const action of ["click", "input"]) document.addEventListener(action, act, { capture: true, signal: stop.signal });
  return () => stop.abort();
}

interface ToastProps {
  readonly item: ShownToast;
  readonly paused: boolean;
  readonly onClose: () => void;
  readonly onGone: () => void;
}

function Toast({ item, paused, onClose, onGone }: ToastProps) {
  const { t } = useTranslation();
  useCountdown(item, paused, item.leaving ? onGone : onClose);
  return (
    <div
      className={styles.toast}
      data-kind={item.kind}
      role={item.kind === "error" ? "alert" : undefined}
      data-leaving={item.leaving || undefined}
    >
      <Icon of={icons[item.kind]} />
      <p>{item.text}</p>
      <Button iconOnly className={styles.close} aria-label={t("close")} onClick={onClose}>
        <Icon of={IconX} />
      </Button>
    </div>
  );
}

/** Calls `onEnd` when the toast's time is over. A pause stops the clock; a new text restarts it. */
function useCountdown({ leaving, timeoutMs, version }: ShownToast, paused: boolean, onEnd: () => void): void {
  const end = useRef(onEnd);
  const left = useRef({ of: "", ms: 0 });
  useEffect(() => {
    end.current = onEnd;
  });
  useEffect(() => {
    const stage = `${version} ${leaving}`;
    if (left.current.of !== stage) left.current = { of: stage, ms: leaving ? EXIT_MS : timeoutMs };
    if (paused && !leaving) return undefined;
    const startedAtMs = performance.now();
    const stop = after(left.current.ms, () => end.current());
    return () => {
      stop();
      left.current.ms -= performance.now() - startedAtMs;
    };
  }, [version, leaving, timeoutMs, paused]);
}

/** Nobody reads more at a time; the oldest is dismissed. */
const MAX_SHOWN = 3;

/** A toast on the page. */
export interface ShownToast extends ToastItem {
  /** Its key, or a generated id. */
  readonly id: string;
  /** Changes when the text under an id is replaced. */
  readonly version: number;
  /** Its exit animation is running. */
  readonly leaving: boolean;
}

let made = 0;

/** Adds a toast on top; one with the same key is replaced in place. Toasts over the maximum start to leave. */
export function addToast(shown: readonly ShownToast[], item: ToastItem): readonly ShownToast[] {
  made += 1;
  const added = { ...item, id: item.key ?? `#${made}`, version: made, leaving: false };
  const all = shown.some(({ id }) => id === added.id)
    ? shown.map((one) => (one.id === added.id ? added : one))
    : [added, ...shown];
  let staying = 0;
  return all.map((one) => {
    if (!one.leaving) staying += 1;
    return !one.leaving && staying > MAX_SHOWN ? { ...one, leaving: true } : one;
  });
}

/** Starts a toast's exit animation. */
export function closeToast(shown: readonly ShownToast[], id: string): readonly ShownToast[] {
  return shown.map((one) => (one.id === id ? { ...one, leaving: true } : one));
}

/** Starts the exit animation of all toasts. */
export function closeAll(shown: readonly ShownToast[]): readonly ShownToast[] {
  return shown.some(({ leaving }) => !leaving) ? shown.map((one) => ({ ...one, leaving: true })) : shown;
}

/** Removes a toast that has left, unless it was shown again meanwhile. */
export function removeToast(shown: readonly ShownToast[], gone: ShownToast): readonly ShownToast[] {
  return shown.filter((one) => one.id !== gone.id || one.version !== gone.version);
}
