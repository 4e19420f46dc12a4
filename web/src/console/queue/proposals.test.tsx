import type { QueueItem } from "@farline/contract/operator/queue.ts";
import { screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { refused } from "../../../test/fake-service.ts";
import { openConsole, sessionAs, withConsoleService } from "../../../test/open-console.tsx";
import { PROPOSALS } from "./queue-kinds.ts";

const service = withConsoleService();

const CUSTOMER = { id: "0199bbbb-0000-7000-8000-0000000000cc", email: "ada@example.com", name: "Ada", language: "en" };
const APPROVAL = {
  id: "0199bbbb-0000-7000-8000-0000000000bb",
  action: "refund",
  customer: { id: CUSTOMER.id, email: CUSTOMER.email },
  subject: "0199bbbb-0000-7000-8000-0000000000dd",
  amount: "150.00",
  detail: { force: true },
  reason: "Asked for by phone",
  proposed_by: { id: "0199bbbb-0000-7000-8000-0000000000aa", name: "Joan" },
  proposed_at: "2026-11-26T08:00:00.000Z",
  expires_at: "2026-11-27T08:00:00.000Z",
  can: ["confirm", "reject"],
  cannot: null,
} satisfies QueueItem["approval"];

/** The queue has one proposal. */
function proposes(approval: NonNullable<QueueItem["approval"]>): void {
  const { id, proposed_at: since, expires_at: due, amount } = approval;
  const row = { ...{ kind: "approval" as const, id, since, due_at: due, amount }, customer: CUSTOMER };
  service().on("GET /api/operator/queue", {
    items: [
      {
        ...row,
        ...{ code: approval.action, state: null, text: approval.reason, facts: {}, approval, provider_url: null, held_by: null },
      },
    ],
    next_cursor: null,
  });
}

test("a proposal is confirmed after the operator has proved who they are", async () => {
  proposes(APPROVAL);
  service().on("POST /api/operator/approvals/:id/confirm", refused("reauth_required"));
  const person = await openConsole(PROPOSALS);
  await person.click(await screen.findByRole("button", { name: "Confirm" }));
  await person.click(
    within(screen.getByRole("dialog", { name: "Refund $150.00 for ada@example.com" })).getByRole("button", { name: "Confirm" }),
  );
  const proof = within(await screen.findByRole("dialog", { name: "Confirm that it is you" }));
  expect(proof.getByLabelText("Email")).toHaveValue("grace@farline.example");
  service().on("POST /api/operator/sign-in", sessionAs());
  service().on("POST /api/operator/approvals/:id/confirm", { failure: null });
  await person.type(proof.getByLabelText("Password"), "seven blue umbrellas");
  await person.type(proof.getByLabelText("Code of your authenticator"), "123456");
  await person.click(proof.getByRole("button", { name: "Sign in with the password" }));
  expect(await screen.findByText("Done.")).toBeVisible();
});

test.each([
  ["set-term", "spend-per-day", "Spending per day"],
  ["set-setting", "carrier-costs.spend-per-day", "Carrier costs: maximum per day"],
  ["create-promo", "SPRING", "SPRING"],
])("a proposal %s names what would change, and its confirmation does once more", async (action, subject, words) => {
  proposes({ ...APPROVAL, action, subject, detail: { value: "900.00" } });
  const person = await openConsole(PROPOSALS);
  const facts = within(await screen.findByRole("region", { name: "What would be done" }));
  expect(facts.getByText(words)).toBeVisible();
  await person.click(screen.getByRole("button", { name: "Confirm" }));
  expect(within(screen.getByRole("dialog")).getByText(`about: ${words}`)).toBeVisible();
});

test("one's own proposal cannot be confirmed, only withdrawn with a reason", async () => {
  proposes({ ...APPROVAL, proposed_by: { id: sessionAs().operator.id, name: "Grace" }, can: ["withdraw"], cannot: "Own." });
  service().on("POST /api/operator/approvals/:id/withdraw", undefined);
  const person = await openConsole(PROPOSALS);
  expect(await screen.findByText("You proposed this, so another operator must confirm it.")).toBeVisible();
  expect(screen.queryByRole("button", { name: "Confirm" })).toBeNull();
  await person.click(screen.getByRole("button", { name: "Withdraw" }));
  await person.type(screen.getByLabelText("Reason"), "The customer called back");
  await person.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Withdraw" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(service().asked("POST /api/operator/approvals/:id/withdraw")[0]?.body).toEqual({ reason: "The customer called back" });
});

test("a row says why it cannot be confirmed", async () => {
  const cannot = "Joan was let in, or got a new link or a higher role, within the last week.";
  proposes({ ...APPROVAL, can: ["reject"], cannot });
  await openConsole(PROPOSALS);
  expect(await screen.findByText(cannot)).toBeVisible();
  expect(screen.queryByRole("button", { name: "Confirm" })).toBeNull();
  expect(screen.getByRole("button", { name: "Reject" })).toBeVisible();
});

test("who confirms an invitation learns that only its proposer gets the link", async () => {
  proposes({ ...APPROVAL, action: "invite-operator", amount: null, customer: null });
  service().on("POST /api/operator/approvals/:id/confirm", { failure: null });
  const person = await openConsole(PROPOSALS);
  await person.click(await screen.findByRole("button", { name: "Confirm" }));
  await person.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Confirm" }));
  expect(await screen.findByText("Done. Only Joan can fetch the link, on the Operators page.")).toBeVisible();
});
