import { startTransition, useEffect, useState } from "react";
import type { PhoneState } from "../../phone/phone-state.ts";
import { phone } from "./phone-session.ts";

/** The state of this tab's phone. It renders as a transition, so that rendering does not block the setup of a call's audio. */
export function usePhone(): PhoneState {
  const [shown, setShown] = useState(() => phone.state);
  useEffect(() => {
    const show = () => startTransition(() => setShown(phone.state));
    show();
    return phone.subscribe(show);
  }, []);
  return shown;
}
