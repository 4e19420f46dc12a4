import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { openApp, withFakeService } from "../../../test/open-app.tsx";
import { renderShell } from "./render-shell.tsx";

const service = withFakeService();

test.each(["en", "ar"] as const)(
  "the prerendered frame in %s is what the app renders before its data arrives",
  async (language) => {
    for (const route of ["GET /api/config", "GET /api/user", "GET /api/billing/balance"] as const)
      service().on(route, () => new Promise<never>(() => {}));
    await openApp("/nowhere", { language });
    const shell = document.createElement("div");
    shell.innerHTML = renderShell(language).frame;
    for (const part of shell.querySelectorAll("[inert]")) part.removeAttribute("inert");
    expect(shell.querySelector("header")).toEqual(screen.getByRole("banner"));
    expect(shell.querySelector("main ~ nav")).toEqual(document.querySelector("main ~ nav"));
  },
);

test.each(["frame", "dialer"] as const)(
  "the prerendered %s has no inline style, which the content security policy forbids",
  (part) => {
    expect(renderShell("en")[part]).not.toContain("style=");
  },
);
