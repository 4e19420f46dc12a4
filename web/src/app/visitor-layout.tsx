import { Suspense } from "react";
import { Navigate, Outlet } from "react-router";
import { useToken } from "../lib/session.ts";
import { SandboxNotice } from "./notices.tsx";

/** Pages for visitors alone. Who is signed in goes to the dialer. */
export function VisitorLayout() {
  const signedIn = useToken() !== null;
  if (signedIn) return <Navigate to="/dialer" replace />;
  return (
    <div className="visitor">
      <SandboxNotice />
      <Suspense fallback={null}>
        <Outlet />
      </Suspense>
    </div>
  );
}
