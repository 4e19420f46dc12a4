import { Suspense, useEffect, useState } from "react";
import { ErrorBoundary } from "react-error-boundary";
import { optionalPart } from "../../session/load-part.ts";
import { useToken } from "../../session/session.ts";
import { useToasterWanted } from "./toast.ts";
import { after } from "../../time/timers.ts";

const ToastList = optionalPart(async () => ({ default: (await import("./toast-list.tsx")).ToastList }));

/** Delay after sign-in before the toaster loads: early enough to be ready, late enough not to slow the page load. */
const FETCH_AFTER_MS = 2000;

/** Mounts the toaster: for a signed-in user soon after the start, for a visitor with the first toast. */
export function Toaster() {
  const signedIn = useToken() !== null;
  const wanted = useToasterWanted();
  const [due, setDue] = useState(false);
  useEffect(() => {
    if (!signedIn) return undefined;
    return after(FETCH_AFTER_MS, () => setDue(true));
  }, [signedIn]);
  if (!wanted && !due) return null;
  // If the toaster's code fails to load, the page, and above all a call, must stay.
  return (
    <ErrorBoundary fallback={null}>
      <Suspense fallback={null}>
        <ToastList />
      </Suspense>
    </ErrorBoundary>
  );
}
