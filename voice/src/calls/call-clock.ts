/**
 * A call's own time: that of the machine's clock when the call begins, and then exactly as much later as time has passed. A clock that
 * is set during a call would otherwise make it longer or shorter, and so its price.
 */
export function callClock(): () => Date {
  const offsetMs = Date.now() - performance.now();
  return () => new Date(Math.round(offsetMs + performance.now()));
}
