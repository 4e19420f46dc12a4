/** Aborts as soon as one of the signals does. `AbortSignal.any` is newer than the oldest supported browsers. */
export function anySignal(...signals: readonly AbortSignal[]): AbortSignal {
  const either = new AbortController();
  for (const signal of signals) {
    const abort = (): void => either.abort(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true, signal: either.signal });
  }
  return either.signal;
}
