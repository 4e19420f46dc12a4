import { Suspense } from "react";
import { Navigate, Outlet } from "react-router";
import { useToken } from "../session/session.ts";
import { OfflineNotice, SandboxNotice } from "./notices.tsx";
import { Preferences } from "./preferences.tsx";
import "./visitor-layout.css";

/** Pages for visitors alone. Who is signed in goes to the dialer. */
export function VisitorLayout() {
  const signedIn = useToken() !== null;
  return signedIn ? <Navigate to="/dialer" replace /> : <AnyoneLayout />;
}

/** Pages outside the app's own frame that everybody may open: where the links in mails lead. */
export function AnyoneLayout() {
  return (
    <div className="visitor">
      <SandboxNotice />
      <OfflineNotice />
      <Suspense fallback={null}>
        <Outlet />
      </Suspense>
      <footer className="visitor__foot page">
        <Preferences />
      </footer>
    </div>
  );
}
