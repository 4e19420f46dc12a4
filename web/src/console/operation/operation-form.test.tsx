import type { EndpointName } from "@farline/contract/api/api.ts";
import { declarationOf, operationNames, type OperationName } from "@farline/contract/operator/operations.ts";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { MemoryRouter } from "react-router";
import { expect, test, vi } from "vitest";
import { refused, UNREACHABLE } from "../../../test/fake-service.ts";
import { openConsole, withConsoleService } from "../../../test/open-console.tsx";
import { fieldsOf } from "./operation-fields.ts";
import { OperationForm } from "./operation-form.tsx";

const service = withConsoleService();
const ID = "0199bbbb-0000-7000-8000-0000000000aa";
const PROPOSABLE = operationNames.filter((name) => declarationOf(name).second !== undefined);
/** What the parts with a preview choose themselves. */
const CHOSEN: Readonly<Partial<Record<OperationName, Readonly<Record<string, unknown>>>>> = {
  "set-term": { name: "tier", value: "trusted", until: undefined },
  "refund-call": { answer: null },
};
const TYPED = {
  text: "x1",
  email: "joan@example.com",
  long: "Words",
  money: "5",
  number: "5",
  time: "2026-12-01T08:00",
} as const;

function open(operation: OperationName) {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MemoryRouter>
        <OperationForm operation={operation} subject={ID} input={CHOSEN[operation] ?? {}} onClose={vi.fn()} onDone={vi.fn()} />
      </MemoryRouter>
    </QueryClientProvider>,
  );
  return { person: userEvent.setup({ delay: null }) };
}

async function fillAndSend(operation: OperationName, person: ReturnType<typeof userEvent.setup>) {
  const { label } = declarationOf(operation);
  for (const field of fieldsOf(operation, false, Object.keys(CHOSEN[operation] ?? {}))) {
    if (field.kind === "check" || field.kind === "choice") continue;
    await person.type(screen.getByLabelText(field.label), TYPED[field.kind]);
  }
  await person.click(screen.getByRole("button", { name: label }));
}

test("thirteen operations can be proposed", () => {
  expect(PROPOSABLE).toHaveLength(13);
});

test.each(PROPOSABLE)("%s is proposed with what its input declares", async (operation) => {
  const { route } = declarationOf(operation);
  // What lets an operator in says itself that it waits; the other answers name the proposal.
  const letsIn = declarationOf(operation).second?.proposes === "operators";
  const proposal = operation === "activate-deck" ? { id: ID, why: "Unusual." } : ID;
  const more = { refund: { failure: null }, unfreeze: { changed: false }, "activate-deck": { activated: null } };
  const answer = { proposal, ...more[operation as keyof typeof more] };
  const set = service().on.bind(service()) as (name: EndpointName, answer: unknown) => void;
  set(route as EndpointName, letsIn ? refused("conflict", "Another operator must confirm it.") : answer);
  const { person } = open(operation);
  await fillAndSend(operation, person);
  if (letsIn) expect(await screen.findByText("Another operator must confirm it.")).toBeVisible();
  else expect(await screen.findByRole("dialog", { name: "Awaiting approval" })).toBeVisible();
  expect(service().asked(route as EndpointName)).toHaveLength(1);
});

/** Opens a proposal in the queue, and the dialog in which it is confirmed. */
async function openProposal(action: OperationName) {
  const customer = { id: ID, email: "ada@example.com", name: "Ada", language: "en" };
  const times = { proposed_at: "2026-11-26T08:00:00.000Z", expires_at: "2026-11-27T08:00:00.000Z" };
  const who = {
    customer: { id: ID, email: customer.email },
    subject: null,
    amount: null,
    detail: {},
    proposed_by: { id: ID, name: "Joan" },
  };
  const approval = { id: ID, action, reason: "Asked for", ...who, ...times, can: ["confirm" as const], cannot: null };
  const row = { kind: "approval" as const, id: ID, since: times.proposed_at, due_at: times.expires_at, amount: null, customer };
  const item = { ...row, code: action, state: null, text: "", facts: {}, approval, provider_url: null, held_by: null };
  service().on("GET /api/operator/queue", { items: [item], next_cursor: null });
  const person = await openConsole("/operator/queue");
  await person.click(await screen.findByRole("button", { name: "Confirm" }));
  const dialog = within(screen.getByRole("dialog"));
  return { dialog, confirm: () => person.click(dialog.getByRole("button", { name: "Confirm" })) };
}

test.each(PROPOSABLE)("a proposal of %s is confirmed under its title", async (action) => {
  service().on("POST /api/operator/approvals/:id/confirm", { failure: null });
  const { dialog, confirm } = await openProposal(action);
  expect(dialog.getByRole("heading").textContent).toContain(declarationOf(action).second?.title);
  await confirm();
  expect(await screen.findByText(/^Done\./)).toBeVisible();
  expect(service().asked("POST /api/operator/approvals/:id/confirm")).toHaveLength(1);
});

test("a proposal that is confirmed without an answer may be done, and is waited for as long as a long price list takes", async () => {
  service().on("POST /api/operator/approvals/:id/confirm", UNREACHABLE);
  const { confirm } = await openProposal("activate-deck");
  const limits = vi.spyOn(AbortSignal, "timeout");
  await confirm();
  expect(await screen.findByText("No response came, so it may have been done. Check before you try again.")).toBeVisible();
  expect(limits).toHaveBeenCalledWith(180_000);
});

test("after a lost answer the same key is sent again, with what was typed", async () => {
  const route = "POST /api/operator/customers/:id/adjust";
  service().on(route, UNREACHABLE);
  const { person } = open("adjust");
  await fillAndSend("adjust", person);
  expect(await screen.findByText("No response came, so it may have been done. Check before you try again.")).toBeVisible();
  const send = await screen.findByRole("button", { name: "Correct the credit" });
  service().on(route, { proposal: ID });
  await person.click(send);
  expect(await screen.findByRole("dialog", { name: "Awaiting approval" })).toBeVisible();
  const [first, second] = service().asked(route);
  expect(second?.body).toEqual(first?.body);
});
