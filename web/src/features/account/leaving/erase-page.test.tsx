import { erasureObstacles, keptGroups } from "@farline/contract/constants.ts";
import type { ErasureResponse } from "@farline/contract/personal-data/erasure.ts";
import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { aUser } from "../../../../test/answers.ts";
import { refused } from "../../../../test/fake-service.ts";
import { openApp, opensInside, withFakeService } from "../../../../test/open-app.tsx";
import { getToken } from "../../../session/session.ts";

const service = withFakeService();
const AT = "2026-06-01T09:00:00.000Z";

function anErasure(more: Partial<ErasureResponse["erasure"]> = {}): ErasureResponse {
  return {
    erasure: {
      at: null,
      begun: false,
      obstacle: null,
      withdrawable: "0.00",
      forfeited: "0.00",
      kept: [...keptGroups],
      ...more,
    },
  };
}

const deleteButton = () => screen.findByRole("button", { name: "Delete my account" });
async function confirm(person: Awaited<ReturnType<typeof openApp>>) {
  const dialog = await screen.findByRole("dialog", { name: "Delete your account?" });
  await person.click(within(dialog).getByRole("button", { name: "Delete my account" }));
}

describe("the page that deletes the account", () => {
  test("opens from the account page, and lists what is deleted, what stays and for how long", async () => {
    service().on("GET /api/account/erasure", anErasure());
    const person = await openApp("/account");
    await person.click(await screen.findByRole("link", { name: "See what is deleted" }));
    const stays = await screen.findByRole("region", { name: "What stays, and why" });
    expect(within(stays).getAllByRole("listitem")).toHaveLength(keptGroups.length + 1);
    expect(within(stays).getByText(/we shorten called numbers after 12 months/)).toBeInTheDocument();
    expect(within(stays).getByText(/stays 60 days, those of address and browser 3 years/)).toBeInTheDocument();
    expect(within(stays).getByText(/the books must add up/)).toBeVisible();
    expect(within(stays).getByText(/as long as tax and accounting law requires/)).toBeVisible();
    expect(screen.getByRole("region", { name: "What we delete" })).toBeVisible();
    expect(screen.getByText(/We delete it 14 days later/)).toBeVisible();
    expect(screen.getByRole("link", { name: "Get a copy of your data first" })).toHaveAttribute("href", "/account");
  });

  test("closes the account after confirmation and signs out", async () => {
    service().on("GET /api/account/erasure", anErasure());
    service().on("POST /api/account/erasure", anErasure({ at: AT }));
    service().on("POST /api/logout", undefined);
    const person = await openApp("/account/erase");
    await person.click(await deleteButton());
    await confirm(person);
    expect(await screen.findByText(/Your account is closed\. We’ll delete it on .*2026/)).toBeVisible();
    await waitFor(() => expect(getToken()).toBeNull());
    expect(service().bodies("POST /api/account/erasure")).toEqual([{ forfeited: "0.00" }]);
  });

  test("does nothing when the confirmation is cancelled", async () => {
    service().on("GET /api/account/erasure", anErasure());
    const person = await openApp("/account/erase");
    await person.click(await deleteButton());
    const dialog = await screen.findByRole("dialog", { name: "Delete your account?" });
    await person.click(within(dialog).getByRole("button", { name: "Cancel" }));
    expect(service().asked("POST /api/account/erasure")).toEqual([]);
  });

  test("requires consent to lose credit that cannot be withdrawn", async () => {
    service().on("GET /api/account/erasure", anErasure({ forfeited: "2.50" }));
    service().on("POST /api/account/erasure", anErasure({ at: AT }));
    service().on("POST /api/logout", undefined);
    const person = await openApp("/account/erase");
    expect(await deleteButton()).toBeDisabled();
    await person.click(screen.getByRole("checkbox", { name: /\$2\.50 of credit cannot be withdrawn and is lost/ }));
    await person.click(await deleteButton());
    await confirm(person);
    await waitFor(() => expect(service().asked("POST /api/account/erasure")[0]?.body).toEqual({ forfeited: "2.50" }));
    await waitFor(() => expect(getToken()).toBeNull());
  });

  test("links to the withdrawal while credit can be withdrawn", async () => {
    service().on("GET /api/account/erasure", anErasure({ obstacle: "withdrawable_credit", withdrawable: "12.00" }));
    await openApp("/account/erase");
    expect(await screen.findByText(/You can withdraw \$12\.00 of credit\. Do this first\./)).toBeVisible();
    expect(screen.getByRole("link", { name: "Withdraw my credit" })).toHaveAttribute("href", "/billing");
    expect(screen.queryByRole("button", { name: "Delete my account" })).toBeNull();
  });

  test.each(["frozen", "debt"] as const)("opens the question of a customer with %s inside the app", async (obstacle) => {
    service().on("GET /api/account/erasure", anErasure({ obstacle }));
    await openApp("/account/erase");
    expect(opensInside(await screen.findByRole("link", { name: "Contact us" }))).toBe(true);
  });

  test.each(erasureObstacles)("says why deletion is not possible: %s", async (obstacle) => {
    service().on("GET /api/account/erasure", anErasure({ obstacle }));
    await openApp("/account/erase");
    const card = await screen.findByRole("region", { name: "Delete now" });
    expect(within(card).getByRole("status")).not.toBeEmptyDOMElement();
    expect(screen.queryByRole("button", { name: "Delete my account" })).toBeNull();
  });

  test("shows a refusal of the service, and keeps the session", async () => {
    service().on("GET /api/account/erasure", anErasure());
    service().on("POST /api/account/erasure", refused("erasure_blocked", "A call is running. End it first."));
    const person = await openApp("/account/erase");
    await person.click(await deleteButton());
    await confirm(person);
    expect(await screen.findByText("A call is running. End it first.")).toBeVisible();
    expect(getToken()).not.toBeNull();
  });

  test("can be reloaded after an error", async () => {
    service().on("GET /api/account/erasure", refused("unavailable", "Down."));
    const person = await openApp("/account/erase");
    const again = await screen.findByRole("button", { name: "Try again" });
    service().on("GET /api/account/erasure", anErasure());
    await person.click(again);
    expect(await deleteButton()).toBeEnabled();
  });
});

describe("a closing account", () => {
  const closing = () => service().on("GET /api/user", { user: aUser({ status: "closing", closes_at: AT }) });

  test("shows a notice on every page, with a button that keeps it", async () => {
    closing();
    service().on("DELETE /api/account/erasure", anErasure());
    const person = await openApp("/contacts");
    const notice = await screen.findByRole("region", { name: "Your account will be deleted" });
    expect(within(notice).getByText(/On .*2026, we delete it\. Calls and payments are closed\./)).toBeVisible();
    service().on("GET /api/user", { user: aUser() });
    await person.click(within(notice).getByRole("button", { name: "Keep my account" }));
    expect(await screen.findByText("You keep your account.")).toBeVisible();
    await waitFor(() => expect(screen.queryByRole("region", { name: "Your account will be deleted" })).toBeNull());
  });

  test.each(["/dialer", "/topup"])("shows only the notice on %s, where calls and payments are closed", async (path) => {
    closing();
    await openApp(path);
    expect(await screen.findByRole("button", { name: "Keep my account" })).toBeVisible();
    expect(screen.queryByRole("button", { name: "Call Now" })).toBeNull();
  });

  test("says why it can no longer be kept", async () => {
    closing();
    service().on("DELETE /api/account/erasure", refused("conflict", "Its erasure has begun already."));
    const person = await openApp("/contacts");
    await person.click(await screen.findByRole("button", { name: "Keep my account" }));
    expect(await screen.findByText("Its erasure has begun already.")).toBeVisible();
  });

  test("cannot be deleted twice", async () => {
    closing();
    service().on("GET /api/account/erasure", anErasure({ at: AT }));
    await openApp("/account/erase");
    expect(await screen.findByText(/Your account will be deleted on .*2026/)).toBeVisible();
    expect(screen.queryByRole("button", { name: "Delete my account" })).toBeNull();
  });
});
