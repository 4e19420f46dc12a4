import { startTransition, useEffect, useState } from "react";
import type { PhoneState } from "../../phone/phone-state.ts";
import { phone } from "./phone-session.ts";

/** The state of this tab's phone. Shown when there is time: what a change of the call has to do for its sound comes first. */
export function usePhone(): PhoneState {
  const [shown, setShown] = useState(() => phone.state);
  useEffect(() => {
    const show = () => startTransition(() => setShown(phone.state));
    show();
    return phone.subscribe(show);
  }, []);
  return shown;
}
