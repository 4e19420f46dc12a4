import type { FamilyMember, FamilyResponse } from "@farline/contract/family/family.ts";
import { screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { readReturnPath } from "../../../session/return-path.ts";
import { aBalance } from "../../../../test/answers.ts";
import { refused } from "../../../../test/fake-service.ts";
import { openApp, withFakeService } from "../../../../test/open-app.tsx";

const service = withFakeService();

const ID = "0199c0de-0000-7000-8000-000000000001";
const LIMITS = { daily_cap: "2.00", monthly_cap: null, countries: ["GH"], time_zone: "UTC" };
const member = (more: Partial<FamilyMember> = {}): FamilyMember => ({
  ...{ id: ID, name: "Kofi Mensah", joined_at: "2026-11-01T00:00:00.000Z", owner_pays: true, shows_numbers: false },
  ...{ limits: LIMITS, spent_today: "0.50", spent_this_month: "3.25", left: "1.50" },
  ...more,
});
const family = (isOwner: boolean, more: Partial<NonNullable<FamilyResponse["family"]>> = {}): FamilyResponse => ({
  family: { is_owner: isOwner, owner_name: "Ama Mensah", members: [member()], invitations: [], ...more },
  max_people: 6,
});
const INVITATION = {
  ...{ id: ID, email: null, limits: LIMITS, expires_at: "2026-12-01T00:00:00.000Z" },
  link: "https://farline.example/family/join#t=secret",
};

test("somebody without a family invites by link, and sees the link", async () => {
  const person = await openApp("/family");
  expect(await screen.findByText(/Let people you trust call on your credit/)).toBeVisible();
  const form = within(screen.getByRole("region", { name: "Invite someone" }));
  await person.type(form.getByLabelText("Limit per day"), "2,50");
  service().on("POST /api/family/invitations", family(true, { members: [], invitations: [INVITATION] }));
  await person.click(form.getByRole("button", { name: "Invite" }));
  expect(await screen.findByLabelText("Your link")).toHaveValue(INVITATION.link);
  expect(service().asked("POST /api/family/invitations")[0]?.body).toMatchObject({
    email: null,
    limits: { daily_cap: "2.50", monthly_cap: null, countries: null },
  });
  expect(within(screen.getByRole("region", { name: "Invite someone" })).getByLabelText("Limit per day")).toHaveValue("");
});

test("a refused invitation keeps what was typed and says why", async () => {
  service().on("POST /api/family/invitations", refused("conflict", "You have 5 open invitations. Withdraw one first."));
  const person = await openApp("/family");
  const form = within(await screen.findByRole("region", { name: "Invite someone" }));
  await person.type(form.getByLabelText("Their email address"), "kofi@example.com");
  await person.click(form.getByRole("button", { name: "Invite" }));
  expect(await screen.findByText("You have 5 open invitations. Withdraw one first.")).toBeVisible();
  expect(form.getByLabelText("Their email address")).toHaveValue("kofi@example.com");
});

test("the owner sees sums, but no calls of a member who shows no numbers, and removes the member after a question", async () => {
  service().on("GET /api/family", family(true));
  const person = await openApp("/family");
  const card = within(await screen.findByRole("region", { name: "Kofi Mensah" }));
  expect(card.getByText("$3.25")).toBeVisible();
  expect(card.getByText("Ghana")).toBeVisible();
  expect(card.queryByRole("button", { name: "Calls" })).toBeNull();
  service().on("DELETE /api/family/members/:id", family(true, { members: [] }));
  await person.click(card.getByRole("button", { name: "Remove" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Remove Kofi Mensah?" }));
  await person.click(dialog.getByRole("button", { name: "Remove" }));
  await waitFor(() => expect(screen.queryByRole("region", { name: "Kofi Mensah" })).toBeNull());
});

test("the owner changes limits, and reads the numbers of a member who shows them", async () => {
  service().on("GET /api/family", family(true, { members: [member({ shows_numbers: true })] }));
  service().on("GET /api/family/members/:id/calls", {
    calls: [
      {
        ...{ id: ID, destination_number: "+233241234567", country_code: "GH", created_at: "2026-11-20T10:00:00.000Z" },
        ...{ duration_seconds: 60, cost: "0.19" },
      },
    ],
  });
  const person = await openApp("/family");
  const card = within(await screen.findByRole("region", { name: "Kofi Mensah" }));
  await person.click(card.getByRole("button", { name: "Calls" }));
  expect(await card.findByText(/\+233 24 123 4567/)).toBeVisible();
  await person.click(card.getByRole("button", { name: "Change limits" }));
  await person.clear(card.getByLabelText("Limit per day"));
  service().on("PUT /api/family/members/:id/limits", family(true));
  await person.click(card.getByRole("button", { name: "Save limits" }));
  expect(await screen.findByText("Limits saved")).toBeVisible();
  expect(service().asked("PUT /api/family/members/:id/limits")[0]?.body).toMatchObject({ daily_cap: null, countries: ["GH"] });
});

test("a member sees who pays and the own limits, chooses the own credit, and leaves", async () => {
  service().on("GET /api/family", family(false));
  const person = await openApp("/family");
  expect(await screen.findByRole("heading", { name: "Family of Ama Mensah" })).toBeVisible();
  expect(screen.getByLabelText("Ama Mensah")).toBeChecked();
  expect(screen.getByText("$1.50")).toBeVisible();
  service().on("PATCH /api/family/choices", family(false, { members: [member({ owner_pays: false })] }));
  await person.click(screen.getByLabelText("I do, with my own credit"));
  await waitFor(() => expect(screen.getByLabelText("I do, with my own credit")).toBeChecked());
  expect(service().asked("PATCH /api/family/choices")[0]?.body).toEqual({ owner_pays: false, shows_numbers: false });
  service().on("DELETE /api/family", { family: null, max_people: 6 });
  await person.click(screen.getByRole("button", { name: "Leave family" }));
  await person.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Leave family" }));
  expect(await screen.findByRole("region", { name: "Invite someone" })).toBeVisible();
});

test("the page can be loaded again after an error", async () => {
  service().on("GET /api/family", refused("rate_limited", "Too many attempts."));
  const person = await openApp("/family");
  expect(await screen.findByText("We could not load your family.")).toBeVisible();
  service().on("GET /api/family", family(true));
  await person.click(screen.getByRole("button", { name: "Try again" }));
  expect(await screen.findByRole("region", { name: "Kofi Mensah" })).toBeVisible();
});

test("an invitation says who pays and what the owner sees, before it is accepted", async () => {
  service().on("POST /api/family/invitation", { owner_name: "Ama", limits: LIMITS });
  service().on("GET /api/family", { family: null, max_people: 6 });
  const person = await openApp("/family/join#t=secret");
  expect(await screen.findByRole("heading", { name: "Ama invites you" })).toBeVisible();
  expect(screen.getByText(/Ama always sees your name and what your calls on this credit cost/)).toBeVisible();
  expect(screen.getByText("$2.00")).toBeVisible();
  expect(service().asked("POST /api/family/accept")).toEqual([]);
  service().on("POST /api/family/accept", family(false));
  service().on("GET /api/family", family(false));
  await person.click(screen.getByLabelText("Show Ama the numbers I call on this credit"));
  await person.click(screen.getByRole("button", { name: "Accept" }));
  expect(await screen.findByRole("heading", { name: "Family of Ama Mensah" })).toBeVisible();
  expect(service().asked("POST /api/family/accept")[0]?.body).toEqual({ token: "secret", owner_pays: true, shows_numbers: true });
});

test("a visitor reads what an invitation means, and comes back to it after signing up", async () => {
  service().on("POST /api/family/invitation", { owner_name: "Ama", limits: LIMITS });
  const person = await openApp("/family/join#t=secret", { signedIn: false });
  expect(await screen.findByRole("heading", { name: "Ama invites you" })).toBeVisible();
  expect(screen.getByText(/Ama pays for your calls if you choose so, and sees your name/)).toBeVisible();
  expect(screen.getByText("$2.00")).toBeVisible();
  expect(service().asked("GET /api/family")).toEqual([]);
  await person.click(screen.getByRole("link", { name: "Sign up" }));
  expect(readReturnPath(null)).toBe("/family/join");
});

test("an invitation that is over, and the page without one, say so to anyone", async () => {
  service().on("POST /api/family/invitation", refused("link_expired", "This link is no longer valid."));
  await openApp("/family/join#t=old", { signedIn: false });
  expect(await screen.findByRole("heading", { name: "This link is closed" })).toBeVisible();
  expect(screen.getByText(/This invitation was used, withdrawn or is too old/)).toBeVisible();
});

test.each([
  ["the own invitation says whom the link is for", true, /This is your own invitation/],
  ["somebody in a family is told to leave it first", false, /You are in a family already/],
])("%s", async (_, isOwner, text) => {
  service().on("POST /api/family/invitation", { owner_name: "Ama", limits: LIMITS });
  const own = { ...INVITATION, link: "https://farline.example/family/join#t=own" };
  service().on("GET /api/family", family(isOwner, { invitations: isOwner ? [own] : [] }));
  await openApp("/family/join#t=own");
  expect(await screen.findByText(text)).toBeVisible();
  expect(screen.queryByRole("button", { name: "Accept" })).toBeNull();
});

test("the dialer says whose credit pays, and what is left of it", async () => {
  service().on("GET /api/billing/balance", aBalance({ balance: "0.00", family: { owner_name: "Ama Mensah", left: "1.50" } }));
  await openApp("/dialer");
  expect(await screen.findByText("Credit of Ama Mensah")).toBeVisible();
  expect(await screen.findByText(/min, paid by Ama Mensah/)).toBeVisible();
  expect(screen.getByText(/\$1\.50/)).toBeVisible();
});
