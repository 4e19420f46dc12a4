import "../styles/base.css";
import "@fontsource-variable/geologica/shrp.css";
import { forbidCompiledSchemas } from "@farline/contract/api/without-eval.ts";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { applyAppearance } from "../browser/appearance.ts";
import { handlePageEvents } from "../page-events.ts";
import { ConsoleApp } from "./console-app.tsx";
import { consoleClient } from "./console-session.tsx";

const root = document.getElementById("root");
if (root === null) throw new Error("The page has no element with the id root.");
forbidCompiledSchemas();
handlePageEvents();
applyAppearance();
createRoot(root).render(
  <StrictMode>
    <ConsoleApp client={consoleClient()} />
  </StrictMode>,
);
