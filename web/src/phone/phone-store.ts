import { createObservable } from "./observable.ts";
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
