import { type PointerEvent, useEffect, useRef } from "react";
import { after } from "../../../time/timers.ts";

const LONG_PRESS_MS = 500;

/**
 * Separate actions for a press and a long press. Spread the result on a button. The keyboard and screen readers get the
 * plain press.
 */
export function useLongPress(onPress: () => void, onHold: (() => void) | undefined) {
  const stop = useRef((): void => undefined);
  const held = useRef(false);
  const cancel = (): void => stop.current();
  useEffect(() => () => stop.current(), []);
  return {
    onPointerDown(event: PointerEvent) {
      held.current = false;
      if (onHold === undefined || event.button !== 0) return;
      stop.current = after(LONG_PRESS_MS, () => {
        held.current = true;
        onHold();
      });
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
