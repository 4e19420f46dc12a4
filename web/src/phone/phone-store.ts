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
  let state = idlePhone;
  const { notify, subscribe } = createListeners();
  const patch = (change: Partial<PhoneState>): void => {
    state = { ...state, ...change };
    notify();
  };
  return {
    get: () => state,
    patch,
    patchCall(change) {
      if (state.call !== null) patch({ call: { ...state.call, ...change } });
    },
    subscribe,
  };
}
