import { StrictMode, startTransition } from "react";
import { createRoot } from "react-dom/client";
import "./ui/styles.ts";
import { App } from "./app/app.tsx";
import { openFirstPage } from "./app/routes.tsx";
import { takeSecretsFromAddress } from "./session/address-secrets.ts";
import { openLanguage } from "./text/i18n.ts";
import { readFrame } from "./service/queries.ts";
import { followOtherTabs, getToken } from "./session/session.ts";
import "@fontsource-variable/geologica/shrp.css";
import "./styles/base.css";
import "./app/app-bar.css";
import "./ui/number-field.css";
import "./ui/dial-keys.css";
import "./features/dialer/dialer-page.css";

const root = document.getElementById("root");
if (root === null) throw new Error("The page has no element with the id root.");
takeSecretsFromAddress();
followOtherTabs();
await openLanguage();
if (getToken() !== null) {
  // A page that does not arrive is asked for again, and its absence told, by the app itself.
  await Promise.all([openFirstPage(location.pathname).catch(() => undefined), readFrame()]);
}
// As a transition it is drawn in small steps, and the page answers meanwhile.
startTransition(() => {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
});
