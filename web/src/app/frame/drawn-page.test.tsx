import { screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { aCallQuote } from "../../../test/answers.ts";
import { openApp, withFakeService } from "../../../test/open-app.tsx";
import { enterShellKeys, keepShellField } from "../../features/dialer/number/shell-keys.ts";
import { renderShell } from "./render-shell.tsx";

vi.mock("../../phone/create-phone.ts", () => import("../../../test/phone-in-app.ts"));

const service = withFakeService();

test("the app takes over the digits and the focus of the prerendered dialer", async () => {
  service().on("POST /api/calls/quote", aCallQuote());
  const root = document.createElement("div");
  root.id = "root";
  root.innerHTML = `<div data-shell>${renderShell("en")["/dialer"]}</div>`;
  document.body.append(root);
  enterShellKeys();
  const person = userEvent.setup();
  const field = within(root).getByLabelText("Phone number");
  for (const key of ["0", "2", "0"]) await person.click(within(root).getByRole("button", { name: key }));
  await person.keyboard("7");
  await person.type(field, "946{Enter}");
  expect(field).toHaveValue("0207946");
  expect(window.location.pathname).not.toBe("/dialer");

  keepShellField();
  root.remove();
  await openApp("/dialer");
  const shown = await screen.findByLabelText("Phone number");
  expect(shown).toHaveFocus();
  expect((shown as HTMLInputElement).value.replaceAll(/\D/g, "")).toBe("0207946");
});

test("the sign-in form takes over what was typed into the prerendered one, with the focus", async () => {
  const root = document.createElement("div");
  root.id = "root";
  root.innerHTML = `<div data-shell>${renderShell("en")["/login"]}</div>`;
  document.body.append(root);
  enterShellKeys();
  vi.resetModules();
  await import("../../features/auth/auth-frame.tsx");
  const { openApp: open } = await import("../../../test/open-app.tsx");
  const person = userEvent.setup();
  await person.type(within(root).getByLabelText("Email"), "grace@example.com");
  await person.type(within(root).getByLabelText("Password"), "half a phra{Enter}");
  expect(service().asked("POST /api/login")).toEqual([]);
  root.remove();
  await open("/login", { signedIn: false });
  expect(await screen.findByLabelText("Email")).toHaveValue("grace@example.com");
  expect(screen.getByLabelText("Password")).toHaveValue("half a phra");
  expect(screen.getByLabelText("Password")).toHaveFocus();
});

test("nothing of the prerendered dialer but its number field and keys can be used", () => {
  const shell = document.createElement("div");
  shell.innerHTML = renderShell("en")["/dialer"];
  for (const part of shell.querySelectorAll("[inert]")) part.remove();
  const usable = [...shell.querySelectorAll("a, button, input, select")].map(({ tagName }) => tagName);
  expect(usable).toEqual(["A", "INPUT", ...Array.from({ length: 12 }, () => "BUTTON")]);
});
