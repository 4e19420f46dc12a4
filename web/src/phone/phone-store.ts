import { createListeners } from "../browser/listeners.ts";
import { idlePhone, type PhoneCall, type PhoneState } from "./phone-state.ts";

/** The single source of truth for what the phone shows. */
export interface PhoneStore {
  get(): PhoneState;
  patch(patch: Partial<PhoneState>): void;
  /** Updates the call; without a call it does nothing. */
  patchCall(patch: Partial<PhoneCall>): void;
  subscribe(listener: () => void): () => void;
}

export function createPhoneStore(): PhoneStore {
  const observable = createObservable<PhoneState>(idlePhone);
  const patch = (change: Partial<PhoneState>): void => observable.set({ ...observable.get(), ...change });
  return {
    get: () => observable.get(),
    patch,
    patchCall(change) {
      const { call } = observable.get();
      if (call !== null) patch({ call: { ...call, ...change } });
    },
    subscribe: (listener) => observable.subscribe(listener),
  };
}

/** A value that notifies its listeners of changes. `get` returns the same object until the next `set`. */
interface Observable<T> {
  get(): T;
  set(next: T): void;
  /** Calls `listener` after every change. Returns the unsubscribe function. */
  subscribe(listener: () => void): () => void;
}

export function createObservable<T>(initial: T): Observable<T> {
  let value = initial;
  const { notify, subscribe } = createListeners();
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      notify();
    },
    subscribe,
  };
}
