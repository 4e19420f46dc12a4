import type { QueueItem } from "@farline/contract/operator/queue.ts";
import { screen, waitFor, within } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { refused } from "../../../test/fake-service.ts";
import { openConsole, sessionAs, withConsoleService } from "../../../test/open-console.tsx";

const service = withConsoleService();

const CUSTOMER = { id: "0199bbbb-0000-7000-8000-0000000000cc", email: "ada@example.com" };
const QUESTION: QueueItem = {
  kind: "question",
  id: "1001",
  since: "2026-11-26T08:00:00.000Z",
  due_at: "2020-01-01T08:00:00.000Z",
  amount: "7.00",
  customer: CUSTOMER,
  title: "Question 1001: charge",
  text: "Why so much?",
  detail: { to: "+442079460000", call: null },
  approval: null,
  provider_url: null,
};
const REFUND: QueueItem = {
  ...QUESTION,
  kind: "refund_request",
  id: "0199bbbb-0000-7000-8000-0000000000dd",
  title: "Refund of a call",
};
const REVIEW: QueueItem = { ...QUESTION, kind: "review", id: CUSTOMER.id, title: "Frozen account", text: "A stolen card" };
const DISPUTE: QueueItem = {
  ...QUESTION,
  kind: "dispute",
  id: "dp_1",
  title: "Dispute: fraudulent",
  text: "",
  due_at: "2099-01-01T08:00:00.000Z",
  provider_url: "https://dashboard.example/disputes/dp_1",
};

const SLOW: QueueItem = {
  ...QUESTION,
  kind: "slow_refund",
  id: "0199bbbb-0000-7000-8000-0000000000ee",
  title: "Withdrawal that waits: insufficient funds",
  text: "Add funds at the provider.",
  provider_url: "https://dashboard.example/payments/pi_1",
};

function waits(...items: readonly QueueItem[]): void {
  service().on("GET /api/operator/queue", { items: [...items], next_cursor: null });
}

async function fillIn(person: Awaited<ReturnType<typeof openConsole>>, label: string, text: string, action: string) {
  const dialog = within(screen.getByRole("dialog"));
  if (text !== "") await person.type(dialog.getByLabelText(label), text);
  await person.click(dialog.getByRole("button", { name: action }));
}

test("a row shows what waits, how urgent it is, and leads to its customer", async () => {
  waits(QUESTION, DISPUTE);
  service().on("GET /api/operator/queue/counts", {
    counts: [{ kind: "question", waiting: 2, oldest: QUESTION.since, due_at: QUESTION.due_at, amount: "7.00" }],
  });
  await openConsole("/operator/queue");
  const [question, dispute] = await screen.findAllByRole("listitem");
  expect(within(question!).getByText(/days late$/)).toBeVisible();
  expect(within(dispute!).getByText(/^due in \d+ days$/)).toBeVisible();
  expect(within(question!).getByText("Why so much?")).toBeVisible();
  expect(within(question!).getByText("to +442079460000")).toBeVisible();
  expect(within(question!).getByRole("link", { name: CUSTOMER.email })).toHaveAttribute(
    "href",
    `/operator/customers/${CUSTOMER.id}`,
  );
  expect(screen.getByRole("link", { name: "Queue 2" })).toBeVisible();
});

test("a refund that waits says what to do, and leads to the provider; it needs no answer", async () => {
  waits(SLOW);
  await openConsole("/operator/queue");
  const row = within((await screen.findAllByRole("listitem"))[0]!);
  expect(row.getByText("Add funds at the provider.")).toBeVisible();
  expect(row.getByRole("link", { name: "Open at the payment provider" })).toHaveAttribute("href", SLOW.provider_url);
  expect(row.queryByRole("button")).toBeNull();
});

test("the filter and the order are in the address, and further pages are loaded", async () => {
  service().on("GET /api/operator/queue", ({ query }) => ({
    items: query["cursor"] === undefined ? [QUESTION] : [DISPUTE],
    next_cursor: query["cursor"] === undefined ? "5~question:1001" : null,
  }));
  service().on("GET /api/operator/queue/counts", {
    counts: [{ kind: "dispute", waiting: 1, oldest: DISPUTE.since, due_at: DISPUTE.due_at, amount: "7.00" }],
  });
  const person = await openConsole("/operator/queue");
  await person.click(await screen.findByRole("button", { name: "Show more" }));
  expect(await screen.findByText("Dispute: fraudulent")).toBeVisible();
  await person.selectOptions(screen.getByLabelText("Show"), "dispute");
  await person.selectOptions(screen.getByLabelText("Order"), "money");
  expect(window.location.search).toBe("?kind=dispute&order=money");
  await waitFor(() =>
    expect(service().asked("GET /api/operator/queue").at(-1)?.query).toEqual({ kind: "dispute", order: "money" }),
  );
});

test("nothing waits, or the queue cannot be loaded", async () => {
  service().on("GET /api/operator/queue", refused("internal"));
  const person = await openConsole("/operator/queue", sessionAs("support", "Eve"));
  waits();
  await person.click(await screen.findByRole("button", { name: "Try again" }));
  expect(await screen.findByText("Nothing waits")).toBeVisible();
});

test("a question is answered in place, with words that the customer reads", async () => {
  waits(QUESTION);
  service().on("POST /api/operator/cases/:number/answer", undefined);
  const person = await openConsole("/operator/queue");
  await person.click(await screen.findByRole("button", { name: "Answer" }));
  await fillIn(person, "What the customer reads", "", "Answer");
  expect(await screen.findByText("Write what the customer should read.")).toBeVisible();
  waits();
  await fillIn(person, "What the customer reads", "A minute costs a dollar.", "Answer");
  expect(await screen.findByText("Nothing waits")).toBeVisible();
  const [asked] = service().asked("POST /api/operator/cases/:number/answer");
  expect([asked?.id, asked?.body]).toEqual(["1001", { answer: "A minute costs a dollar." }]);
});

test("the second of two operators is told that the question was answered", async () => {
  waits(QUESTION);
  // Only with the refusal, because the page may read the queue again while the reason is typed.
  service().on("POST /api/operator/cases/:number/close", () => {
    waits();
    return refused("conflict", "Case 1001 is answered already.");
  });
  const person = await openConsole("/operator/queue");
  // A message of the test before may still be there, with a button of the same name.
  await person.click(await within(screen.getByRole("main")).findByRole("button", { name: "Close" }));
  await fillIn(person, "Reason", "Spam", "Close");
  expect(await screen.findByText("Case 1001 is answered already.")).toBeVisible();
  expect(screen.queryByRole("dialog")).toBeNull();
  expect(await screen.findByText("Nothing waits")).toBeVisible();
});

test("a call is refunded with or without a word, and a double click asks once", async () => {
  waits(REFUND);
  const answer = service().hold("POST /api/operator/calls/:id/refund", { proposal: null });
  const person = await openConsole("/operator/queue");
  await person.click(await screen.findByRole("button", { name: "Refund the call" }));
  await person.dblClick(within(screen.getByRole("dialog")).getByRole("button", { name: "Refund the call" }));
  answer();
  expect(await screen.findByText("The charge is back on the customer's account.")).toBeVisible();
  expect(
    service()
      .asked("POST /api/operator/calls/:id/refund")
      .map(({ body }) => body),
  ).toEqual([{ reason: null, answer: null }]);
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
  await fillIn(person, "Reason", "It was the owner", label);
  expect(await screen.findByText(said)).toBeVisible();
  expect(service().asked(route)[0]?.body).toEqual(body);
});

test("a dispute's evidence is saved as a file, and its answer is noted", async () => {
  waits(DISPUTE);
  service().on("POST /api/operator/disputes/:id/evidence", { name: "evidence-dp_1.csv", csv: '"a"' });
  service().on("POST /api/operator/disputes/:id/handled", undefined);
  const saved = vi.spyOn(URL, "createObjectURL").mockReturnValue("blob:evidence");
  const revoked = vi.spyOn(URL, "revokeObjectURL");
  const person = await openConsole("/operator/queue");
  expect(await screen.findByRole("link", { name: "Answer at the payment provider" })).toHaveAttribute(
    "href",
    DISPUTE.provider_url,
  );
  await person.click(screen.getByRole("button", { name: "Download the evidence" }));
  await fillIn(person, "Reason", "For the bank", "Download the evidence");
  expect(await screen.findByText("The evidence is saved.")).toBeVisible();
  expect(await (saved.mock.calls[0]![0] as Blob).text()).toBe('"a"');
  // Safari reads it later (immich-app/immich#28827).
  expect(revoked).not.toHaveBeenCalled();
  await person.click(screen.getByRole("button", { name: "Mark as handled" }));
  await fillIn(person, "Reason", "Sent the calls", "Mark as handled");
  expect(await screen.findByText("The dispute no longer waits.")).toBeVisible();
  expect(service().asked("POST /api/operator/disputes/:id/handled")[0]?.body).toEqual({
    as: "answered",
    reason: "Sent the calls",
  });
  saved.mockRestore();
});
