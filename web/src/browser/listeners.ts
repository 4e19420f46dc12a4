/** Who is told of the changes of a value that lives outside of React (`useSyncExternalStore`). */
export interface Listeners {
  /** A listener that fails is reported, and keeps neither the others nor whoever made the change from going on. */
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
