import { act, cleanup, screen, waitFor, within } from "@testing-library/react";
import type { UserEvent } from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";
import { aCall, aCase, anId, aUser, callDetails } from "../../test/answers.ts";
import { refused } from "../../test/fake-service.ts";
import { openApp, withFakeService } from "../../test/open-app.tsx";
import { writeDraft } from "../service/use-draft.ts";
import { queryClient } from "../service/query-client.ts";

const service = withFakeService();
const ama = aUser({ id: anId(), name: "Ama Mensah" });
const call = aCall({ status: "completed" });

beforeEach(() => {
  service().on("POST /api/logout", undefined);
  service().on("GET /api/calls/:id", { call });
  service().on("GET /api/calls/:id/details", callDetails({ may_ask_refund: true }));
  service().on("GET /api/contacts", { contacts: [], next_cursor: null, total: 0 });
});

/** The session ends on the open page, and this customer signs in. */
async function signInAgain(person: UserEvent, user = aUser()): Promise<void> {
  service().on("GET /api/user", refused("unauthenticated", "Sign in again.", { session_ended: "expired" }));
  act(() => service().hint({ type: "account" }));
  expect(await screen.findByText("You were signed out because your session expired.")).toBeVisible();
  service().on("GET /api/user", { user });
  service().on("POST /api/login", { token: `token-of-${user.name}`, user });
  await person.type(await screen.findByLabelText("Email"), user.email);
  await person.type(screen.getByLabelText("Password"), "a long enough phrase 42{Enter}");
  await waitFor(() => expect(window.location.pathname).not.toBe("/login"));
}

interface DraftedForm {
  readonly path: string;
  /** Opens the form on its page. */
  open(person: UserEvent): Promise<void>;
  readonly field: string | RegExp;
}

const press = async (person: UserEvent, name: string) =>
  person.click((await screen.findAllByRole("button", { name }))[0] as HTMLElement);

const FORMS: Readonly<Record<string, DraftedForm>> = {
  question: { path: "/cases/new", open: async () => {}, field: "Your question" },
  "refund request": {
    path: `/call/${call.id}`,
    open: (person) => press(person, "Tell us what was wrong"),
    field: /^What else should we know\?/,
  },
  contact: { path: "/contacts", open: (person) => press(person, "Add Contact"), field: "Notes (optional)" },
};

test.each(Object.entries(FORMS))(
  "a half-written %s is still there when the session ended and its customer signs in",
  async (_, form) => {
    const person = await openApp(form.path);
    await form.open(person);
    await person.type(await screen.findByLabelText(form.field), "Half a thought");
    await signInAgain(person);
    expect(window.location.pathname + window.location.search).toBe(form.path);
    await form.open(person);
    await waitFor(() => expect(screen.getByLabelText(form.field)).toHaveValue("Half a thought"));
  },
);

test("a half-written question is there after a reload, for no other customer, and its topic too", async () => {
  const person = await openApp("/cases/new");
  await person.selectOptions(await screen.findByLabelText("What is it about?"), "A charge");
  await person.type(screen.getByLabelText("Your question"), "Why 61 seconds?");
  for (const [user, words, topic] of [
    [ama, "", ""],
    [aUser(), "Why 61 seconds?", "charge"],
  ] as const) {
    cleanup();
    queryClient.clear();
    service().on("GET /api/user", { user });
    await openApp("/cases/new");
    await screen.findAllByText(user.name);
    await waitFor(() => expect(screen.getByLabelText("Your question")).toHaveValue(words));
    expect(screen.getByLabelText("What is it about?")).toHaveValue(topic);
  }
});

test("a question that was sent, and one of a customer who logged out, are kept nowhere", async () => {
  service().on("POST /api/cases", { case: aCase() });
  service().on("GET /api/cases", { cases: { data: [], next_cursor: null } });
  const person = await openApp("/cases/new");
  await person.selectOptions(await screen.findByLabelText("What is it about?"), "A charge");
  await person.type(screen.getByLabelText("Your question"), "Why?");
  expect(stored()).toContain("Why?");
  await person.click(screen.getByRole("button", { name: "Send" }));
  await waitFor(() => expect(stored()).toBe(""));
  await person.click(await screen.findByRole("link", { name: "Ask a question" }));
  await person.type(await screen.findByLabelText("Your question"), "And why not?");
  expect(stored()).toContain("And why not?");
  await person.click(within(screen.getByRole("banner")).getByRole("button", { name: "Logout" }));
  await waitFor(() => expect(stored()).toBe(""));
});

test("a contact that the customer gives up starts empty the next time", async () => {
  const person = await openApp("/contacts");
  await press(person, "Add Contact");
  await person.type(await screen.findByLabelText("First name"), "Kwame");
  expect(stored()).toContain("Kwame");
  await person.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Cancel" }));
  expect(stored()).toBe("");
  await press(person, "Add Contact");
  expect(await screen.findByLabelText("First name")).toHaveValue("");
});

test("a tab keeps ten drafts of a customer, and none that is very long", () => {
  for (let number = 0; number < 12; number++) writeDraft("7", `question ${number}`, `"${number}"`);
  const names = (JSON.parse(stored()) as [string, string][]).map(([name]) => name);
  expect([names.length, names[0], names.at(-1)]).toEqual([10, "question 11", "question 2"]);
  writeDraft("7", "question 11", "x".repeat(20_001));
  expect((JSON.parse(stored()) as unknown[]).length).toBe(9);
});

/** All drafts in this tab, of all customers. */
function stored(): string {
  return Object.keys(sessionStorage)
    .filter((key) => key.endsWith(":drafts"))
    .map((key) => sessionStorage.getItem(key))
    .join("");
}
