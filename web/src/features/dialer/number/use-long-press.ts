import { type PointerEvent, useEffect, useRef } from "react";

const LONG_PRESS_MS = 500;

/**
 * Separate actions for a press and a long press. Spread the result on a button. The keyboard and screen readers get the
 * plain press.
 */
export function useLongPress(onPress: () => void, onHold: (() => void) | undefined) {
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const held = useRef(false);
  const cancel = (): void => {
    if (timer.current !== null) clearTimeout(timer.current);
    timer.current = null;
  };
  useEffect(
    () => () => {
      if (timer.current !== null) clearTimeout(timer.current);
    },
    [],
  );
  return {
    onPointerDown(event: PointerEvent) {
      held.current = false;
      if (onHold === undefined || event.button !== 0) return;
      timer.current = setTimeout(() => {
        held.current = true;
        onHold();
      }, LONG_PRESS_MS);
    },
    onPointerUp: cancel,
    onPointerLeave: cancel,
    onPointerCancel: cancel,
    onClick() {
      cancel();
      if (!held.current) onPress();
      held.current = false;
    },
  };
}
