import "./lib/schemas-without-eval.ts";
import "./styles/app.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app/app.tsx";
import { takeSecretsFromAddress } from "./lib/address-secrets.ts";
import { openLanguage } from "./lib/i18n.ts";
import { followOtherTabs } from "./lib/session.ts";

const root = document.getElementById("root");
if (root === null) throw new Error("The page has no element with the id root.");
takeSecretsFromAddress();
followOtherTabs();
await openLanguage();
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
