import { lazy, Suspense, useEffect, useState } from "react";
import { ErrorBoundary } from "react-error-boundary";
import { useToken } from "../session/session.ts";
import { useToasterWanted } from "./toast.ts";

const ToastList = lazy(async () => ({ default: (await import("./toast-list.tsx")).ToastList }));

/** How long after sign-in the toaster is fetched, so that it is there before it is needed and in nobody's way. */
const FETCH_AFTER_MS = 2000;

/** Puts the toaster on the page: for a signed-in person soon after the start, for a visitor with the first message. */
export function Toaster() {
  const signedIn = useToken() !== null;
  const wanted = useToasterWanted();
  const [due, setDue] = useState(false);
  useEffect(() => {
    if (!signedIn) return undefined;
    const timer = setTimeout(() => setDue(true), FETCH_AFTER_MS);
    return () => clearTimeout(timer);
  }, [signedIn]);
  if (!wanted && !due) return null;
  // Messages that cannot be shown, because their code did not arrive, must not take the page away, least of all a call.
  return (
    <ErrorBoundary fallback={null}>
      <Suspense fallback={null}>
        <ToastList />
      </Suspense>
    </ErrorBoundary>
  );
}
