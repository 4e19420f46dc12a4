import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { aUser } from "../../../test/answers.ts";
import { refused } from "../../../test/fake-service.ts";
import { openApp, withFakeService } from "../../../test/open-app.tsx";

const service = withFakeService();

const region = (name: string) => screen.findByRole("region", { name });

describe("the name", () => {
  const card = () => region("Profile");

  test("is corrected, and shown at once", async () => {
    service().on("GET /api/user", { user: aUser({ name: "Grase" }) });
    service().on("PATCH /api/user", { user: aUser({ name: "Grace Mensah" }) });
    const person = await openApp("/account");
    await person.click(await screen.findByRole("button", { name: "Change name" }));
    const field = within(await card()).getByLabelText("Name");
    expect(field).toHaveFocus();
    expect(field).toHaveValue("Grase");
    await person.clear(field);
    await person.keyboard("{Enter}");
    await waitFor(() => expect(field).toHaveAccessibleDescription("Enter your name."));
    service().on("GET /api/user", { user: aUser({ name: "Grace Mensah" }) });
    await person.type(field, "Grace Mensah{Enter}");
    expect(await screen.findByText("Your name is changed.")).toBeVisible();
    expect(within(await card()).getByText("Grace Mensah")).toBeVisible();
    expect(service().asked("PATCH /api/user")[0]?.body).toEqual({ name: "Grace Mensah" });
  });

  test("stays when the service refuses it, with its reason at the field, or when the change is cancelled", async () => {
    const text = "The name is too long. Use at most 120 letters.";
    service().on("PATCH /api/user", refused("validation_failed", text, { errors: { name: [text] } }));
    const person = await openApp("/account");
    await person.click(await screen.findByRole("button", { name: "Change name" }));
    const field = within(await card()).getByLabelText("Name");
    await person.type(field, " the very long{Enter}");
    await waitFor(() => expect(field).toHaveAccessibleDescription(text));
    await person.click(within(await card()).getByRole("button", { name: "Cancel" }));
    expect(within(await card()).getByText(aUser().name)).toBeVisible();
  });
});

test("the account page has sections, and links to each", async () => {
  await openApp("/account");
  const contents = within(await screen.findByRole("navigation", { name: "On this page" }));
  for (const link of contents.getAllByRole("link")) {
    const heading = document.querySelector(link.getAttribute("href") ?? "");
    expect(heading).toHaveTextContent(link.textContent ?? "");
    expect(heading?.tagName).toBe("H2");
  }
  const security = within(await region("Sign-in and security"));
  for (const name of ["Password", "Signed-in devices", "Recent activity"])
    expect(await security.findByRole("region", { name })).toBeVisible();
});

describe("the profile", () => {
  test.each(["/history", "/account"])(
    "on %s says that its confirmation mail could not be delivered, with what to do",
    async (path) => {
      service().on("GET /api/user", { user: aUser({ email: "grace@exmaple.com", email_verified: false, email_refused: true }) });
      const person = await openApp(path);
      expect(await screen.findByText("We could not deliver to grace@exmaple.com. Check the address.")).toBeVisible();
      if (path === "/history") await person.click(screen.getByRole("link", { name: "Change address" }));
      expect(await screen.findByRole("button", { name: "Change email" })).toBeVisible();
    },
  );

  test.each(["/history", "/account"])("on %s does not claim a confirmation mail that did not go", async (path) => {
    service().on("GET /api/user", { user: aUser({ email: "grace@example.com", email_verified: false, link_mailed: false }) });
    await openApp(path);
    expect(await screen.findByText(/^Get a link by email to confirm grace@example\.com\./)).toBeVisible();
    expect(screen.queryByText(/Open the link/)).toBeNull();
  });

  test("shows whether the address is confirmed, and resends the mail", async () => {
    service().on("GET /api/user", { user: aUser({ email_verified: false }) });
    service().on("POST /api/email/verification", { reason: "", message: "We have sent a mail to grace@example.com." });
    const person = await openApp("/account");
    expect(await screen.findByText("Not confirmed")).toBeVisible();
    const profile = await region("Profile");
    await person.click(within(profile).getByRole("button", { name: "Send the email again" }));
    expect(await within(profile).findByText("We have sent a mail to grace@example.com.")).toBeVisible();
  });

  test("changes the address, and explains the next step", async () => {
    const next = "We have sent a mail to new@example.com and one to grace@example.com. Open the link in both.";
    service().on("POST /api/email/change", { reason: "", message: next });
    const person = await openApp("/account");
    await person.click(await screen.findByRole("button", { name: "Change email" }));
    const field = screen.getByLabelText("New email");
    expect(field).toHaveFocus();
    await person.keyboard("{Enter}");
    await waitFor(() => expect(field).toHaveAccessibleDescription(/Enter your new email address\./));
    await person.type(field, "new@example.com{Enter}");
    expect(await screen.findByText(next)).toBeVisible();
    expect(service().asked("POST /api/email/change")[0]?.body).toEqual({ email: "new@example.com" });
  });
});
