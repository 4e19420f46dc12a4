import { useSyncExternalStore } from "react";
import type { PhoneState } from "../../phone/phone-state.ts";
import { phone } from "./phone-session.ts";

/** The state of this tab's phone. */
export function usePhone(): PhoneState {
  return useSyncExternalStore(phone.subscribe, () => phone.state);
}
