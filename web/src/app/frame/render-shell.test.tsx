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
    shell.innerHTML = renderShell(language)[""];
    for (const part of shell.querySelectorAll("[inert]")) part.removeAttribute("inert");
    expect(shell.querySelector("header")).toEqual(screen.getByRole("banner"));
    expect(shell.querySelector("main ~ nav")).toEqual(document.querySelector("main ~ nav"));
  },
);

test("no prerendered page has an inline style, which the content security policy forbids, and each has its heading", () => {
  for (const [path, page] of Object.entries(renderShell("en"))) {
    expect(page).not.toContain("style=");
    if (path !== "" && path !== "/dialer") expect(page).toContain("<h1");
  }
});

test("a prerendered sign-in form can be typed into, and never puts a password into an address", () => {
  for (const path of ["/login", "/register"] as const) {
    const shell = document.createElement("div");
    shell.innerHTML = renderShell("ar")[path];
    expect(shell.querySelector("form")).toHaveAttribute("method", "post");
    expect(shell.querySelector("input[name=password]")?.closest("[inert]")).toBeNull();
    expect(shell.querySelector("footer option[selected]")).toHaveAttribute("value", "ar");
  }
});

test("a prerendered sign-in form has nothing that does nothing when it is pressed", () => {
  for (const path of ["/login", "/register"] as const) {
    const shell = document.createElement("div");
    shell.innerHTML = renderShell("en")[path];
    for (const control of shell.querySelectorAll("button:not([type=submit]), select"))
      expect(control.closest("[inert]"), `${path}: ${control.outerHTML}`).not.toBeNull();
  }
});

test("what the prerendered pages of signed-in customers cannot do yet is inert", () => {
  for (const path of ["/history", "/contacts", "/topup"] as const) {
    const shell = document.createElement("div");
    shell.innerHTML = renderShell("en")[path];
    for (const control of shell.querySelectorAll("main :is(a, button, input, select)"))
      expect(control.closest("[inert]"), `${path}: ${control.outerHTML}`).not.toBeNull();
  }
});
