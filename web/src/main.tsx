import "./styles/base.css";
import "@fontsource-variable/geologica/shrp.css";
import { StrictMode, startTransition } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app/app.tsx";
import { openFirstPage } from "./app/routes.tsx";
import { compositionEnded, elementOfApp } from "./browser/drawn-page.ts";
import { takeSecretsFromAddress } from "./session/address-secrets.ts";
import { openLanguage } from "./text/i18n.ts";
import { followLiveEvents } from "./service/live-events.ts";
import { prefetchShell } from "./service/prefetch.ts";
import { followOtherTabs, getToken } from "./session/session.ts";

takeSecretsFromAddress();
followOtherTabs();
followLiveEvents();
const language = openLanguage();
const shell = getToken() === null ? language : prefetchShell();
// If the page's code fails to load, the app retries and shows the error.
await Promise.all([language.then(() => openFirstPage(location.pathname)).catch(() => undefined), shell]);
await compositionEnded();
// A transition renders in small steps, so that the page stays responsive.
startTransition(() => {
  createRoot(elementOfApp()).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
});
