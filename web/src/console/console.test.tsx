import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { screen, waitFor, within } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { refused, UNREACHABLE } from "../../test/fake-service.ts";
import { expectAutofillNamed } from "../../test/autofill.ts";
import { openConsole, sessionAs, withConsoleService } from "../../test/open-console.tsx";
import { freshText } from "./shell/freshness.tsx";

const service = withConsoleService();

const JOAN = {
  id: "0199bbbb-0000-7000-8000-0000000000aa",
  email: "joan@example.com",
  name: "Joan",
  role: "support",
  created_at: "2026-11-26T08:00:00.000Z",
  password: false,
  passkeys: 1,
  sessions: 2,
  second_person_from: null,
  invited_until: null,
  link: null,
} as const;
const GRACE = { ...JOAN, id: sessionAs().operator.id, name: "Grace", email: "grace@farline.example", role: "admin" } as const;
const ENTRY = {
  id: "0199bbbb-0000-7000-8000-000000000101",
  at: "2026-11-26T08:00:00.000Z",
  operator: { id: JOAN.id, name: "Joan" },
  action: "refund",
  customer: { id: JOAN.id, email: "ada@example.com" },
  subject: null,
  reason: "Reason 1",
  detail: { amount_micros: "5000000", reach: 1 },
};

async function fillSignIn(
  person: Awaited<ReturnType<typeof openConsole>>,
  scope: Pick<typeof screen, "getByLabelText" | "getByRole">,
) {
  expectAutofillNamed();
  await person.type(scope.getByLabelText("Password"), "seven blue umbrellas");
  await person.type(scope.getByLabelText("Code of your authenticator"), "123456");
  await person.click(scope.getByRole("button", { name: "Sign in with the password" }));
}

test("without a session the sign-in is shown; after it the first page of the role", async () => {
  service().on("GET /api/operator/session", refused("unauthenticated"));
  service().on("POST /api/operator/sign-in", refused("credentials_wrong", "The address, the password or the code is wrong."));
  const person = await openConsole("/operator", null);
  expect(screen.queryByText(/Your session has ended/)).toBeNull();
  await person.type(screen.getByLabelText("Email"), "grace@farline.example");
  await fillSignIn(person, screen);
  expect(await screen.findByRole("alert")).toHaveTextContent("The address, the password or the code is wrong.");
  service().on("POST /api/operator/sign-in", sessionAs("support", "Eve"));
  await person.click(screen.getByRole("button", { name: "Sign in with the password" }));
  expect(await screen.findByRole("heading", { name: "Overview" })).toBeVisible();
  expect(screen.getAllByRole("link").map((link) => link.textContent)).toEqual([
    "Skip to content",
    "Overview",
    "Live calls",
    "Queue",
    "Search",
    "Customers",
    "Calls",
    "Payments",
    "Protection",
  ]);
});

test("times follow the chosen zone on every page, and the choice is kept in this browser", async () => {
  const at = "2026-11-26T23:30:05.000Z";
  const own = vi.spyOn(Intl.DateTimeFormat.prototype, "resolvedOptions");
  own.mockReturnValue({ ...new Intl.DateTimeFormat("en").resolvedOptions(), timeZone: "Asia/Kolkata" });
  service().on("GET /api/operator/audit-log", { operations: [{ ...ENTRY, at }], next_cursor: null });
  const person = await openConsole("/operator/audit-log");
  expect(await screen.findByText("2026-11-26 23:30:05 UTC")).toBeVisible();
  await person.click(screen.getByRole("button", { name: "Kolkata" }));
  expect(screen.getByText("2026-11-27 05:00:05 GMT+5:30")).toBeVisible();
  expect(window.localStorage.getItem("farline-console-zone")).toBe("own");
  await person.click(screen.getByRole("button", { name: "UTC" }));
  expect(screen.getByText("2026-11-26 23:30:05 UTC")).toBeVisible();
  own.mockRestore();
});

test("on a phone the other pages are in a sheet that Esc closes, and the page behind it is inert", async () => {
  const media = vi.spyOn(window, "matchMedia");
  media.mockImplementation((query) =>
    Object.assign(new EventTarget() as MediaQueryList, { matches: query.startsWith("(max-width") }),
  );
  service().on("GET /api/operator/audit-log", { operations: [], next_cursor: null });
  const person = await openConsole("/operator/overview");
  const more = screen.getByRole("button", { name: "More" });
  await person.click(more);
  const sheet = screen.getByRole("dialog", { name: "More" });
  expect(within(sheet).getByRole("link", { name: "Traffic" })).toHaveFocus();
  expect(screen.getByRole("main", { hidden: true }).closest("[inert]")).not.toBeNull();
  await person.keyboard("{Escape}");
  expect(screen.queryByRole("dialog")).toBeNull();
  expect(more).toHaveFocus();
  await person.click(more);
  await person.click(screen.getByRole("link", { name: "Audit log" }));
  expect(await screen.findByRole("heading", { name: "Audit log" })).toBeVisible();
  expect(screen.queryByRole("dialog")).toBeNull();
  media.mockRestore();
});

test.each([
  ["live", 2_100, "Live, read 2 s ago"],
  ["live", 40_000, "Not live, read 40 s ago"],
  ["read", 200_000, "Read 3 min ago"],
  ["lost", 40_000, "No connection, read 40 s ago"],
  ["lost", null, "No connection"],
] as const)("figures that are %s and %s ms old read as %s", (state, ageMs, text) => {
  expect(freshText(state, ageMs)).toBe(text);
});

test("a service that does not answer is said at the top, and a press reads again", async () => {
  service().on("GET /api/operator/audit-log", { operations: [], next_cursor: null });
  const person = await openConsole("/operator/audit-log");
  const fresh = await screen.findByRole("button", { name: /^Read 0 s ago/ });
  service().on("GET /api/operator/audit-log", UNREACHABLE);
  await person.click(fresh);
  expect(await screen.findByText(/^No connection, read/)).toBeVisible();
});

test("signing out shows the sign-in again", async () => {
  service().on("POST /api/operator/sign-out", undefined);
  const person = await openConsole("/operator/search");
  await person.click(screen.getByRole("button", { name: "Sign out" }));
  expect(await screen.findByRole("heading", { name: "Operators' sign-in" })).toBeVisible();
  expect(screen.queryByText(/Your session has ended/)).toBeNull();
});

test("a session that has ended shows the sign-in at the same address, and says so", async () => {
  service().on("GET /api/operator/audit-log", refused("unauthenticated"));
  await openConsole("/operator/audit-log");
  expect(await screen.findByRole("heading", { name: "Operators' sign-in" })).toBeVisible();
  expect(screen.getByText(/^Your session has ended\./)).toBeVisible();
  expect(window.location.pathname).toBe("/operator/audit-log");
});

test("a page that the role may not see is not shown", async () => {
  await openConsole("/operator/operators", sessionAs("support", "Eve"));
  expect(screen.getByRole("heading", { name: "Your role has no pages here" })).toBeVisible();
});

test("an address without a page says so, and does not speak of a role", async () => {
  await openConsole("/operator/nowhere", sessionAs("admin", "Grace"));
  expect(screen.getByRole("heading", { name: "There is no page at this address" })).toBeVisible();
});

test("an administrator invites an operator, and sees the link once", async () => {
  service().on("GET /api/operator/operators", { operators: [GRACE] });
  service().on("POST /api/operator/operators", {
    url: "https://farline.example/operator/invitation#fo_secret",
    expires_at: "2026-11-26T08:15:00.000Z",
  });
  const person = await openConsole("/operator/operators");
  await person.click(screen.getByRole("button", { name: "Invite an operator" }));
  const dialog = within(screen.getByRole("dialog"));
  await person.type(dialog.getByLabelText("Name"), "Joan");
  await person.type(dialog.getByLabelText("Email"), "joan@example.com");
  await person.selectOptions(dialog.getByLabelText("Role"), "finance");
  await person.click(dialog.getByRole("button", { name: "Invite an operator" }));
  expect(await dialog.findByText("Enter a reason.")).toBeVisible();
  await person.type(dialog.getByLabelText("Reason"), "New colleague");
  await person.click(dialog.getByRole("button", { name: "Invite an operator" }));
  expect(await screen.findByLabelText("Link")).toHaveValue("https://farline.example/operator/invitation#fo_secret");
  expect(service().asked("POST /api/operator/operators")[0]?.body).toEqual({
    name: "Joan",
    email: "joan@example.com",
    role: "finance",
    reason: "New colleague",
  });
});

test("others can be changed, oneself cannot", async () => {
  service().on("GET /api/operator/operators", { operators: [GRACE, JOAN] });
  service().on("PUT /api/operator/operators/:id/role", undefined);
  const person = await openConsole("/operator/operators");
  const [own, other] = await screen.findAllByRole("listitem");
  expect(within(own!).queryByRole("button")).toBeNull();
  await person.click(within(other!).getByRole("button", { name: "Change the role" }));
  await person.selectOptions(screen.getByLabelText("Role"), "admin");
  await person.type(screen.getByLabelText("Reason"), "Second administrator");
  await person.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Change the role" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  const [asked] = service().asked("PUT /api/operator/operators/:id/role");
  expect([asked?.id, asked?.body]).toEqual([JOAN.id, { role: "admin", reason: "Second administrator" }]);
});

test("the audit log is filtered by what a row shows, and older entries are loaded", async () => {
  const entry = (n: number) => ({ ...ENTRY, id: `0199bbbb-0000-7000-8000-00000000010${n}`, reason: `Reason ${n}` });
  service().on("GET /api/operator/audit-log", ({ query }) => ({
    operations: [query["cursor"] === undefined ? entry(1) : entry(2)],
    next_cursor: query["cursor"] === undefined ? entry(1).id : null,
  }));
  const person = await openConsole("/operator/audit-log");
  await person.click(await screen.findByRole("button", { name: "Show more" }));
  expect(await screen.findByText("Reason 2")).toBeVisible();
  expect(screen.getAllByText("amount $5.00")).toHaveLength(2);
  expect(screen.getAllByText("reaches 1 customer")).toHaveLength(2);
  expect(screen.getAllByRole("link", { name: "ada@example.com" })).toHaveLength(2);
  expect(screen.getAllByRole("button", { name: "Refund" })).toHaveLength(2);
  await person.click(screen.getAllByRole("button", { name: "by Joan" })[0]!);
  await waitFor(() => expect(service().asked("GET /api/operator/audit-log").at(-1)?.query).toEqual({ operator: JOAN.id }));
  expect(window.location.search).toBe(`?operator=${JOAN.id}`);
  await person.click(screen.getByRole("button", { name: "All operators" }));
  expect(window.location.search).toBe("");
});

test("an invitation is accepted with a password and an authenticator, and its secret leaves the address", async () => {
  service().on("POST /api/operator/invitation", { email: "joan@example.com", name: "Joan", role: "support" });
  service().on("POST /api/operator/invitation/authenticator", {
    secret: "ABCD EFGH",
    uri: "otpauth://totp/Farline",
    qr: { size: 10, path: "M0 0h1v1h-1z" },
  });
  service().on("POST /api/operator/invitation/password", sessionAs("support", "Joan"));
  const person = await openConsole("/operator/invitation#fo_secret", null);
  expect(window.location.hash).toBe("");
  expect(await screen.findByText("Joan (joan@example.com), your role is support.")).toBeVisible();
  const other = screen.queryByRole("button", { name: "Use a password and an authenticator instead" });
  if (other !== null) await person.click(other);
  expect(await screen.findByText("ABCD EFGH")).toBeVisible();
  expectAutofillNamed();
  await person.type(screen.getByLabelText("Code that the app shows"), "123456");
  await person.type(screen.getByLabelText("New password"), "seven blue umbrellas");
  await person.type(screen.getByLabelText("New password again"), "seven blue umbrellas");
  await person.click(screen.getByRole("button", { name: "Set up the sign-in" }));
  expect(await screen.findByRole("heading", { name: "Overview" })).toBeVisible();
  expect(service().asked("POST /api/operator/invitation/password")[0]?.body).toMatchObject({
    token: "fo_secret",
    code: "123456",
  });
});

test("a command line is signed in after its code was compared", async () => {
  service().on("POST /api/operator/command-line/device", { device: "grace@laptop" });
  service().on("POST /api/operator/command-line", undefined);
  const person = await openConsole("/operator/command-line#K7QX-M2RP");
  expect(await screen.findByText("K7QX-M2RP")).toBeVisible();
  await person.click(screen.getByRole("button", { name: "Confirm" }));
  expect(await screen.findByText("Signed in. Go back to the command line.")).toBeVisible();
  expect(service().asked("POST /api/operator/command-line")[0]?.body).toEqual({ code: "K7QX-M2RP" });
});

test("only who proposed somebody's link can show it; others read for whom it waits", async () => {
  const waiting = { ...JOAN, passkeys: 0, link: { proposer: GRACE.id, until: "2026-11-27T08:00:00.000Z" } };
  service().on("GET /api/operator/operators", { operators: [GRACE, waiting] });
  service().on("POST /api/operator/operators/:id/link/fetch", {
    url: "https://farline.example/operator/invitation#fo_secret",
    expires_at: "2026-11-26T08:15:00.000Z",
  });
  const person = await openConsole("/operator/operators");
  expect(await screen.findByText(/^a link waits for you until/)).toBeVisible();
  await person.click(screen.getByRole("button", { name: "Show the link" }));
  expect(service().asked("POST /api/operator/operators/:id/link/fetch")).toEqual([]);
  await person.type(screen.getByLabelText("Reason"), "Joan is here");
  await person.click(screen.getByRole("button", { name: "Show it now" }));
  expect(await screen.findByLabelText("Link")).toHaveValue("https://farline.example/operator/invitation#fo_secret");
});

test("another administrator's link cannot be shown", async () => {
  const waiting = { ...JOAN, passkeys: 0, link: { proposer: JOAN.id, until: "2026-11-27T08:00:00.000Z" } };
  service().on("GET /api/operator/operators", { operators: [GRACE, waiting] });
  await openConsole("/operator/operators");
  expect(await screen.findByText(/^a link waits for Joan until/)).toBeVisible();
  expect(screen.queryByRole("button", { name: "Show the link" })).toBeNull();
});

test("times are written by one component, with UTC under the pointer, and nowhere else", async () => {
  const [format, writers] = [/\b(?:timeText|utcText)\(|\.toLocale(?:Time|Date)String\(|DateTimeFormat\(/, ["shell/", "chart/"]];
  const files = globSync("**/*.{ts,tsx}", { cwd: import.meta.dirname }).filter((file) => !file.includes(".test."));
  expect(files.length).toBeGreaterThan(40);
  const others = files.filter((file) => !writers.some((folder) => file.startsWith(folder)));
  const found = others.filter((file) => format.test(readFileSync(join(import.meta.dirname, file), "utf8")));
  // The list of cases says how long is left, and has the time itself under the pointer.
  expect(found).toEqual(["queue/queue-page.tsx"]);
});
