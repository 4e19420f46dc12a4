import type { QueueItem } from "@farline/contract/operator/queue.ts";
import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { AT } from "../../../test/console-customer.ts";
import { refused } from "../../../test/fake-service.ts";
import { openConsole, sessionAs, withConsoleService } from "../../../test/open-console.tsx";
import { endConsoleSession } from "../console-request.ts";

const service = withConsoleService();

const CUSTOMER = { id: "0199bbbb-0000-7000-8000-0000000000cc", email: "ada@example.com", name: "Ada Kovács", language: "fr" };
const QUESTION: QueueItem = {
  kind: "question",
  id: "1001",
  since: "2026-11-26T08:00:00.000Z",
  due_at: "2020-01-01T08:00:00.000Z",
  amount: "7.00",
  customer: CUSTOMER,
  code: "charge",
  state: null,
  text: "Why so much?",
  facts: {},
  approval: null,
  provider_url: null,
  held_by: null,
};
const REFUND: QueueItem = {
  ...QUESTION,
  kind: "refund_request",
  id: "0199bbbb-0000-7000-8000-0000000000dd",
  code: "no_audio",
  text: "She hears nothing.",
};
const REVIEW: QueueItem = { ...QUESTION, kind: "review", id: CUSTOMER.id, code: null, text: "A stolen card" };
const DISPUTE: QueueItem = {
  ...QUESTION,
  kind: "dispute",
  id: "dp_1",
  code: "fraudulent",
  state: "needs_response",
  text: "",
  due_at: "2099-01-01T08:00:00.000Z",
  facts: { method: "visa 4242", authenticated: true },
  provider_url: "https://dashboard.example/disputes/dp_1",
};
const SLOW: QueueItem = {
  ...QUESTION,
  kind: "slow_refund",
  id: "0199bbbb-0000-7000-8000-0000000000ee",
  code: "insufficient_funds",
  state: "withdrawal",
  text: "Add funds at the provider.",
  provider_url: "https://dashboard.example/payments/pi_1",
};

function waits(...items: readonly QueueItem[]): void {
  service().on("GET /api/operator/queue", { items: [...items], next_cursor: null });
}

type Person = Awaited<ReturnType<typeof openConsole>>;

async function confirm(person: Person, label: string, text: string, action: string) {
  const dialog = within(screen.getByRole("dialog"));
  await person.type(dialog.getByLabelText(label), text);
  await person.click(dialog.getByRole("button", { name: action }));
}

const title = () => screen.findByRole("heading", { level: 2 });
const answer = () => within(screen.getByRole("region", { name: "Answer" }));

test("the list has who waits, how long, the sum and their words; the first case stands open beside it", async () => {
  waits(QUESTION, DISPUTE);
  service().on("GET /api/operator/queue/counts", {
    counts: [{ kind: "question", waiting: 2, oldest: QUESTION.since, due_at: QUESTION.due_at, amount: "7.00" }],
  });
  await openConsole("/operator/queue");
  const [question, dispute] = within(await screen.findByRole("list", { name: "Cases" })).getAllByRole("listitem");
  expect(question).toHaveTextContent(/^Ada Kovács\d+ days lateQuestion\$7\.00“Why so much\?”$/);
  expect(dispute).toHaveTextContent(/^Ada Kovácsdue in \d+ daysDispute\$7\.00the owner says they did not pay$/);
  expect(within(question!).getByRole("link")).toHaveAttribute("aria-current", "true");
  expect(await title()).toHaveTextContent("Question");
  const words = screen.getByText("Why so much?");
  expect([words.tagName, words.lang]).toEqual(["BLOCKQUOTE", "fr"]);
  expect(screen.getByText(/written in French/)).toBeVisible();
  expect(screen.getByRole("button", { name: "Copy the case number" })).toBeVisible();
  expect(screen.getByRole("button", { name: "Questions 2" })).toBeVisible();
  expect(screen.getByRole("link", { name: "Queue 2" })).toBeVisible();
});

test("beside a case stand the customer, their money and what happened last, in words", async () => {
  waits(REFUND);
  const facts = { number: "+233200000142", country: "GH", number_type: "mobile", end_reason: "busy" };
  const entry = {
    type: "call",
    id: REFUND.id,
    at: AT,
    amount: "0.00",
    balance_after: null,
    state: "failed",
    kind: null,
    facts,
    can: [],
  };
  service().on("GET /api/operator/customers/:id/timeline", { entries: [entry as never], next_cursor: null });
  await openConsole("/operator/queue");
  const who = within(await screen.findByRole("complementary", { name: "Customer" }));
  expect(await who.findByText("$12.50")).toBeVisible();
  expect(who.getByText("Balance then").closest("div")).toHaveTextContent("$19.50");
  expect(who.getByRole("link", { name: "Open the customer" })).toHaveAttribute("href", `/operator/customers/${CUSTOMER.id}`);
  const happened = within(await screen.findByRole("list", { name: "What happened last" }));
  expect(await happened.findByText("Called Ghana mobile, +233 20 000 0142: busy")).toBeVisible();
});

test("a refund that waits says what to do, and leads to the provider; it needs no answer", async () => {
  waits(SLOW);
  await openConsole("/operator/queue");
  expect(await title()).toHaveTextContent("Pending withdrawal, $7.00");
  expect(screen.getByText("Add funds at the provider.")).toBeVisible();
  expect(answer().getByRole("link", { name: "Open at the payment provider" })).toHaveAttribute("href", SLOW.provider_url);
  expect(answer().queryByRole("button")).toBeNull();
});

test("the filter, the order and the case are in the address, and further pages are loaded", async () => {
  service().on("GET /api/operator/queue", ({ query }) => ({
    items: query["cursor"] === undefined ? [QUESTION] : [DISPUTE],
    next_cursor: query["cursor"] === undefined ? "5~question:1001" : null,
  }));
  service().on("GET /api/operator/queue/counts", {
    counts: [{ kind: "dispute", waiting: 1, oldest: DISPUTE.since, due_at: DISPUTE.due_at, amount: "7.00" }],
  });
  const person = await openConsole("/operator/queue");
  await person.click(await screen.findByRole("button", { name: "Show more" }));
  await person.click(await screen.findByRole("link", { name: /Dispute/ }));
  expect(window.location.pathname).toBe("/operator/queue/dispute/dp_1");
  expect(await title()).toHaveTextContent("Dispute, $7.00");
  await person.click(screen.getByRole("button", { name: "Disputes 1" }));
  await person.click(screen.getByRole("button", { name: "Most money first" }));
  expect(window.location.search).toBe("?kind=dispute&order=money");
  await waitFor(() =>
    expect(service().asked("GET /api/operator/queue").at(-1)?.query).toEqual({ kind: "dispute", order: "money" }),
  );
});

test("a link leads to a case that the list has not loaded, or says that it is no longer waiting", async () => {
  service().on("GET /api/operator/queue", ({ query }) => ({
    items: query["id"] === undefined ? [QUESTION] : query["id"] === DISPUTE.id ? [DISPUTE] : [],
    next_cursor: null,
  }));
  await openConsole("/operator/queue/dispute/dp_1");
  expect(await screen.findByRole("heading", { name: "Dispute, $7.00" })).toBeVisible();
});

test("a case that was answered meanwhile says so, and the others stay", async () => {
  service().on("GET /api/operator/queue", ({ query }) => ({
    items: query["id"] === undefined ? [QUESTION] : [],
    next_cursor: null,
  }));
  const person = await openConsole("/operator/queue/question/999");
  expect(await screen.findByText("This case is no longer waiting")).toBeVisible();
  await person.click(screen.getByRole("link", { name: /Ada Kovács/ }));
  expect(await screen.findByText("Why so much?")).toBeVisible();
});

test("J and K move, keep what was typed, and never send", async () => {
  waits(QUESTION, REFUND);
  const person = await openConsole("/operator/queue");
  await screen.findByText("Why so much?");
  // On a Cyrillic layout the same key writes another letter.
  fireEvent.keyDown(document.body, { key: "о", code: "KeyJ" });
  expect(await title()).toHaveTextContent("Refund of a call, $7.00");
  await person.type(answer().getByLabelText("Answer to Ada Kovács"), "jk, sorry");
  expect(window.location.pathname).toBe(`/operator/queue/refund_request/${REFUND.id}`);
  (document.activeElement as HTMLElement).blur();
  await person.keyboard("k");
  expect(await title()).toHaveTextContent("Question");
  await person.keyboard("j");
  expect(await answer().findByLabelText("Answer to Ada Kovács")).toHaveValue("jk, sorry");
  const others = service().requests.filter(({ route }) => route !== "POST /api/operator/queue/open");
  expect(others.every(({ route }) => route.startsWith("GET"))).toBe(true);
});

test("what was typed is still there when the session ended meanwhile and the same operator signs in, and for nobody else", async () => {
  waits(QUESTION);
  const person = await openConsole("/operator/queue/question/1001");
  const signInAs = async (name: string) => {
    act(endConsoleSession);
    service().on("POST /api/operator/sign-in", sessionAs("support", name));
    await person.type(await screen.findByLabelText("Email"), "g@farline.example");
    await person.type(screen.getByLabelText("Password"), "seven blue umbrellas");
    await person.type(screen.getByLabelText("Code of your authenticator"), "123456{Enter}");
    return await screen.findByLabelText("Answer to Ada Kovács");
  };
  await person.type(await screen.findByLabelText("Answer to Ada Kovács"), "A long answer.");
  expect(await signInAs("Grace")).toHaveValue("A long answer.");
  expect(await signInAs("Eve")).toHaveValue("");
});

test("an open case is said again by the page itself, which does not keep the session alive", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "setTimeout", "clearTimeout"], shouldAdvanceTime: true });
  waits(QUESTION);
  await openConsole("/operator/queue/question/1001");
  await screen.findByText("Why so much?");
  await vi.advanceTimersByTimeAsync(31_000);
  const said = service().asked("POST /api/operator/queue/open");
  expect(said.map(({ headers }) => headers.get("x-unattended"))).toEqual([null, "1"]);
  vi.useRealTimers();
});

test("nothing waits, or the queue cannot be loaded", async () => {
  service().on("GET /api/operator/queue", refused("internal"));
  const person = await openConsole("/operator/queue", sessionAs("support", "Eve"));
  waits();
  await person.click(await screen.findByRole("button", { name: "Try again" }));
  expect(await screen.findByText("Nothing is waiting")).toBeVisible();
});

test("a question is answered with words that the customer reads", async () => {
  waits(QUESTION);
  service().on("POST /api/operator/cases/:number/answer", undefined);
  const person = await openConsole("/operator/queue");
  await person.click(await screen.findByRole("button", { name: "Send the answer" }));
  expect(await screen.findByText("Write a message to the customer.")).toBeVisible();
  waits();
  await person.type(answer().getByLabelText("Answer to Ada Kovács"), "A minute costs a dollar.");
  await person.click(answer().getByRole("button", { name: "Send the answer" }));
  expect(await screen.findByText("Nothing is waiting")).toBeVisible();
  const [asked] = service().asked("POST /api/operator/cases/:number/answer");
  expect([asked?.id, asked?.body]).toEqual(["1001", { answer: "A minute costs a dollar." }]);
});

test("the second of two operators is told that the question was answered, and goes on with the next", async () => {
  waits(QUESTION, REFUND);
  service().on("POST /api/operator/cases/:number/close", () => {
    waits(REFUND);
    return refused("conflict", "Case 1001 is answered already.");
  });
  const person = await openConsole("/operator/queue");
  await person.click(await screen.findByRole("button", { name: "Close without an answer" }));
  await confirm(person, "Reason", "Spam", "Close without an answer");
  expect(await screen.findByText("Case 1001 is answered already.")).toBeVisible();
  expect(screen.queryByRole("dialog")).toBeNull();
  await waitFor(async () => expect(await title()).toHaveTextContent("Refund of a call, $7.00"));
});

test("the key names the deed and the sum; a double click asks once", async () => {
  waits(REFUND);
  const release = service().hold("POST /api/operator/calls/:id/refund", { proposal: null });
  const person = await openConsole("/operator/queue");
  expect(await screen.findByRole("button", { name: "Refund $7.00" })).toBeVisible();
  await person.type(answer().getByLabelText("Answer to Ada Kovács"), "You are right.");
  await person.dblClick(answer().getByRole("button", { name: "Refund $7.00 and send" }));
  release();
  expect(await screen.findByText("The charge is back on the customer's account.")).toBeVisible();
  expect(service().bodies("POST /api/operator/calls/:id/refund")).toEqual([{ reason: null, answer: "You are right." }]);
});

test("a refund is declined apart, with a reason that begins with what was typed", async () => {
  waits(REFUND);
  service().on("POST /api/operator/refund-requests/:call/decline", undefined);
  const person = await openConsole("/operator/queue");
  await person.click(await screen.findByRole("button", { name: "Decline the refund" }));
  await person.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Decline the refund" }));
  expect(await screen.findByText("Write a message to the customer.")).toBeVisible();
  expect(service().asked("POST /api/operator/refund-requests/:call/decline")).toEqual([]);
  await confirm(person, "Message to the customer", "The call was heard on both sides.", "Decline the refund");
  expect(await screen.findByText("The request is declined.")).toBeVisible();
});

test.each([
  ["Unfreeze", "unfreeze", { ofReview: true, reason: "It was the owner" }, "The account is open again."],
  ["Keep frozen", "keep-frozen", { reason: "It was the owner" }, "The account stays frozen."],
] as const)("a frozen account: %s", async (label, operation, body, said) => {
  waits(REVIEW);
  service().on("POST /api/operator/customers/:id/unfreeze", { changed: true, proposal: null });
  service().on("POST /api/operator/customers/:id/keep-frozen", undefined);
  const route = `POST /api/operator/customers/:id/${operation}` as const;
  const person = await openConsole("/operator/queue");
  await person.click(await screen.findByRole("button", { name: label }));
  await confirm(person, "Reason", "It was the owner", label);
  expect(await screen.findByText(said)).toBeVisible();
  expect(service().asked(route)[0]?.body).toEqual(body);
});

test("a dispute's evidence is saved as a file, and its answer is noted", async () => {
  waits(DISPUTE);
  service().on("POST /api/operator/disputes/:id/evidence", { name: "evidence-dp_1.csv", csv: '"a"' });
  service().on("POST /api/operator/disputes/:id/handled", undefined);
  const saved = vi.spyOn(URL, "createObjectURL").mockReturnValue("blob:evidence");
  const revoked = vi.spyOn(URL, "revokeObjectURL");
  // The simulated browser would leave the page.
  const pressed = vi.spyOn(HTMLAnchorElement.prototype, "click").mockReturnValue();
  const person = await openConsole("/operator/queue");
  expect(await screen.findByText("Visa •••• 4242")).toBeVisible();
  expect(screen.getByRole("link", { name: "Answer at the payment provider" })).toHaveAttribute("href", DISPUTE.provider_url);
  await person.click(screen.getByRole("button", { name: "Download the evidence" }));
  await confirm(person, "Reason", "For the bank", "Download the evidence");
  expect(await screen.findByText("The evidence is saved.")).toBeVisible();
  expect(await (saved.mock.calls[0]![0] as Blob).text()).toBe('"a"');
  // Safari reads it later (immich-app/immich#28827).
  expect(revoked).not.toHaveBeenCalled();
  await person.click(screen.getByRole("button", { name: "Mark as handled" }));
  await confirm(person, "Reason", "Sent the calls", "Mark as handled");
  expect(await screen.findByText("The dispute no longer waits.")).toBeVisible();
  expect(service().asked("POST /api/operator/disputes/:id/handled")[0]?.body).toEqual({
    as: "answered",
    reason: "Sent the calls",
  });
  saved.mockRestore();
  pressed.mockRestore();
});

test("who else has a case open is said in the list and beside it, until it is taken over", async () => {
  const holder = { name: "Grace Addo", since: "2026-11-26T08:00:00.000Z" };
  waits({ ...QUESTION, held_by: holder }, REFUND);
  service().on("POST /api/operator/queue/open", ({ body }) => ({
    held_by: (body as { take_over: boolean }).take_over ? null : holder,
  }));
  const person = await openConsole("/operator/queue");
  expect(await screen.findByText("Grace Addo has it open")).toBeVisible();
  expect(await screen.findByText(/Grace Addo has had this case open since/)).toBeVisible();
  await person.click(screen.getByRole("button", { name: "Take it over" }));
  await waitFor(() => expect(screen.queryByText(/has had this case open since/)).toBeNull());
  expect(service().bodies("POST /api/operator/queue/open")).toEqual([
    { kind: "question", id: "1001", take_over: false },
    { kind: "question", id: "1001", take_over: true },
  ]);
});

test("a case that was taken over stays so although an older answer about it comes later", async () => {
  const holder = { name: "Grace Addo", since: "2026-11-26T08:00:00.000Z" };
  waits(QUESTION);
  service().on("POST /api/operator/queue/open", { held_by: holder });
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "setTimeout", "clearTimeout"], shouldAdvanceTime: true });
  const person = await openConsole("/operator/queue");
  const takeOver = await screen.findByRole("button", { name: "Take it over" });
  const answerOlder = service().hold("POST /api/operator/queue/open", { held_by: holder });
  await act(() => vi.advanceTimersByTimeAsync(31_000));
  expect(service().asked("POST /api/operator/queue/open")).toHaveLength(2);
  service().on("POST /api/operator/queue/open", { held_by: null });
  await person.click(takeOver);
  await waitFor(() => expect(takeOver).not.toBeInTheDocument());
  answerOlder();
  // The page asks again only when the older request is done.
  service().hold("POST /api/operator/queue/open", { held_by: null });
  await act(() => vi.advanceTimersByTimeAsync(31_000));
  await waitFor(() => expect(service().asked("POST /api/operator/queue/open")).toHaveLength(4));
  expect(screen.queryByText(/has had this case open since/)).toBeNull();
  vi.useRealTimers();
});
