/** The listeners of a value kept outside React, as `useSyncExternalStore` wants them. */
export interface Listeners {
  /** Calls every listener. If one throws, its error is reported and the others are still called. */
  notify(): void;
  /** Calls `listener` after every change. Returns the unsubscribe function. */
  readonly subscribe: (listener: () => void) => () => void;
}

export function createListeners(): Listeners {
  const listeners = new Set<() => void>();
  return {
    notify() {
      for (const listener of [...listeners])
        try {
          listener();
        } catch (error) {
          reportError(error);
        }
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}
