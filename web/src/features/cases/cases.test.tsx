import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { aCall, aCase, anId, aTransaction, aUser, callDetails, listOf } from "../../../test/answers.ts";
import { refused, UNREACHABLE } from "../../../test/fake-service.ts";
import { openApp, withFakeService } from "../../../test/open-app.tsx";

const service = withFakeService();

describe("the list of questions", () => {
  test("shows an empty state with links to the form and the help page", async () => {
    await openApp("/cases");
    expect(await screen.findByText("No questions yet")).toBeVisible();
    expect(screen.getByRole("link", { name: "Ask a question" })).toHaveAttribute("href", "/cases/new");
    // In a new tab, because leaving the app would end a call.
    expect(screen.getByRole("link", { name: "Find an answer in our help" })).toHaveAttribute("target", "_blank");
  });

  test("shows each question with its state, what it is about, and our answer", async () => {
    const call = { type: "call", id: anId(), number: "+233200000142", created_at: "2026-05-18T09:00:00.000Z" } as const;
    const payment = { type: "payment", id: anId(), amount: "20.00", created_at: "2026-05-18T09:00:00.000Z" } as const;
    const answered = { state: "answered", answer: "Two steps.\nOf 60.", answered_at: "2026-05-19T09:00:00.000Z" } as const;
    const data = [aCase({ about: call }), aCase({ topic: "payment", number: 1000, about: payment, ...answered })];
    service().on("GET /api/cases", { cases: { data, next_cursor: null } });
    await openApp("/cases");
    const open = within(await screen.findByRole("region", { name: "A charge" }));
    expect(open.getByText("Waiting")).toBeVisible();
    expect(open.getByText("Why 61 seconds?")).toBeVisible();
    expect(await open.findByRole("link", { name: /^Call to \+233 20 000 0142/ })).toHaveAttribute("href", `/call/${call.id}`);
    const done = within(screen.getByRole("region", { name: "A payment or refund" }));
    expect(done.getByText("Answered")).toBeVisible();
    expect(done.getByText(/Payment of \$20\.00/)).toBeVisible();
    expect(done.getByText(/Question 1000/)).toBeVisible();
    expect(done.getByText(/Two steps/)).toBeVisible();
  });

  test("can be reloaded after an error, shows more on request, and updates with the answer", async () => {
    service().on("GET /api/cases", refused("rate_limited"));
    const person = await openApp("/cases");
    expect(await screen.findByText("Failed to load your questions")).toBeVisible();
    service().on("GET /api/cases", ({ query }) => ({
      cases:
        query["cursor"] === "next"
          ? { data: [aCase({ message: "An older one" })], next_cursor: null }
          : { data: [aCase()], next_cursor: "next" },
    }));
    await person.click(screen.getByRole("button", { name: "Try again" }));
    await person.click(await screen.findByRole("button", { name: "Show more" }));
    expect(await screen.findByText("An older one")).toBeVisible();
    const data = [aCase({ state: "answered", answer: "Here it is.", answered_at: "2026-05-19T09:00:00.000Z" })];
    service().on("GET /api/cases", { cases: { data, next_cursor: null } });
    service().hint({ type: "cases" });
    expect(await screen.findByText("Here it is.")).toBeVisible();
  });
});

describe("the form", () => {
  const topic = () => screen.findByLabelText("What is it about?");
  const message = () => screen.getByLabelText("Your question");
  const send = () => screen.getByRole("button", { name: "Send" });
  const sent = () => service().asked("POST /api/cases");

  test("sends topic and message, shows the case's number, and returns to the list", async () => {
    service().on("POST /api/cases", () => {
      service().on("GET /api/cases", { cases: { data: [aCase()], next_cursor: null } });
      return { case: aCase() };
    });
    const person = await openApp("/cases/new");
    await person.selectOptions(await topic(), "A charge");
    await person.type(message(), "  Why 61 seconds? ");
    await person.click(send());
    expect(await screen.findByText("Question 1001 sent")).toBeVisible();
    expect(await screen.findByText("Why 61 seconds?")).toBeVisible();
    expect(window.location.pathname).toBe("/cases");
    expect(sent().map(({ body }) => body)).toEqual([{ topic: "charge", message: "Why 61 seconds?", about: null }]);
  });

  test("shows errors at empty fields and sends nothing", async () => {
    const person = await openApp("/cases/new");
    await topic();
    await person.click(send());
    expect(await screen.findByText("Choose what it is about.")).toBeVisible();
    await person.type(message(), "   ");
    await person.click(send());
    expect(await screen.findByText("Write your question.")).toBeVisible();
    expect(sent()).toEqual([]);
  });

  test.each([
    ["too_many_cases", "You have 5 unanswered questions. Please wait for our answer first."],
    ["rate_limited", "Too many questions in one day. Try again in 3 hours."],
  ] as const)("refused as %s, it keeps the words and says why", async (code, text) => {
    service().on("POST /api/cases", refused(code, text));
    const person = await openApp("/cases/new");
    await person.selectOptions(await topic(), "Something else");
    await person.type(message(), "Hello");
    await person.click(send());
    expect(await screen.findByRole("alert")).toHaveTextContent(text);
    expect(message()).toHaveValue("Hello");
  });

  test("keeps its key when resent after a network failure, and gets a new one after an edit", async () => {
    service().on("POST /api/cases", UNREACHABLE);
    const person = await openApp("/cases/new");
    await person.selectOptions(await topic(), "Something else");
    await person.type(message(), "Hello");
    for (const attempt of [1, 2]) {
      await person.click(send());
      await waitFor(() => expect(sent()).toHaveLength(attempt));
      expect(await screen.findByText("Your question could not be sent. Try again. Check your connection.")).toBeVisible();
    }
    await person.type(message(), " there");
    await person.click(send());
    await waitFor(() => expect(sent()).toHaveLength(3));
    const keys = sent().map(({ headers }) => headers.get("idempotency-key"));
    expect(keys[0]).toBe(keys[1]);
    expect(keys[2]).not.toBe(keys[0]);
  });

  test("ignores a second press while sending", async () => {
    const answer = service().hold("POST /api/cases", { case: aCase() });
    const person = await openApp("/cases/new");
    await person.selectOptions(await topic(), "Something else");
    await person.type(message(), "Hello");
    await person.dblClick(send());
    await person.click(screen.getByRole("button", { name: "Sending..." }));
    answer();
    expect(await screen.findByText("Question 1001 sent")).toBeVisible();
    expect(sent()).toHaveLength(1);
  });

  test("opens from a call, which is attached to the question", async () => {
    const call = aCall();
    service().on("GET /api/calls/:id", { call });
    service().on("GET /api/calls/:id/details", callDetails());
    service().on("POST /api/cases", { case: aCase() });
    const person = await openApp(`/call/${call.id}`);
    await person.click(await screen.findByRole("link", { name: "Get help with this call" }));
    expect(await screen.findByText(/^Call to \+233 20 000 0142/)).toBeVisible();
    expect(screen.getByRole("link", { name: "Call details" })).toHaveAttribute("href", `/call/${call.id}`);
    await person.selectOptions(await topic(), "Calls and sound");
    await person.type(message(), "I heard nothing");
    await person.click(send());
    await waitFor(() => expect(sent()).toHaveLength(1));
    expect(sent()[0]?.body).toMatchObject({ about: { type: "call", id: call.id } });
  });

  test("opens from a payment, which is attached unless it is removed", async () => {
    const payment = anId();
    const row = aTransaction({ reference_id: payment, status: "pending", balance_after: null });
    service().on("GET /api/billing/transactions", { transactions: listOf([row]) });
    service().on("POST /api/billing/confirm", {
      ...{ status: "open", amount: "20.00", balance: "0.00", currency: "USD" },
      ...{ problem: null, presented: null, receipt_id: null, suggests_auto_top_up: false, gift: null },
    });
    service().on("POST /api/cases", { case: aCase() });
    const person = await openApp("/billing");
    await person.click(await screen.findByRole("link", { name: "Get help with the payment of $20.00" }));
    expect(await screen.findByText("Payment of $20.00")).toBeVisible();
    expect(service().asked("POST /api/billing/confirm")[0]?.body).toEqual({ payment_id: payment });
    expect(await topic()).toHaveValue("payment");
    await person.click(screen.getByRole("button", { name: "Remove" }));
    expect(screen.queryByText("Payment of $20.00")).toBeNull();
    await person.type(message(), "Where is it?");
    await person.click(send());
    await waitFor(() => expect(sent()[0]?.body).toMatchObject({ topic: "payment", about: null }));
  });

  test("is linked from the notice of a locked account", async () => {
    service().on("GET /api/user", { user: aUser({ status: "frozen", frozen_because: "payment" }) });
    const person = await openApp("/billing");
    await person.click(await screen.findByRole("link", { name: "Contact us" }));
    expect(await screen.findByRole("heading", { name: "Ask a question" })).toBeVisible();
  });

  test("another customer's call is shown as missing and is not attached", async () => {
    service().on("GET /api/calls/:id", refused("not_found"));
    service().on("POST /api/cases", { case: aCase() });
    const person = await openApp(`/cases/new?call=${anId()}`);
    expect(await screen.findByText(/This call is not in your account/)).toBeVisible();
    await person.selectOptions(await topic(), "Something else");
    await person.type(message(), "Hello");
    await person.click(send());
    await waitFor(() => expect(sent()[0]?.body).toMatchObject({ about: null }));
  });
});

test("a visitor is asked to sign in", async () => {
  await openApp("/cases/new?call=1", { signedIn: false });
  expect(await screen.findByRole("heading", { name: "Sign in to Farline" })).toBeVisible();
});

test("in Arabic the page is right to left and in Arabic", async () => {
  service().on("GET /api/cases", { cases: { data: [aCase()], next_cursor: null } });
  await openApp("/cases", { language: "ar" });
  expect(await screen.findByRole("heading", { name: "أسئلتك" })).toBeVisible();
  expect(screen.getByText("قيد الانتظار")).toBeVisible();
  expect(document.documentElement).toHaveAttribute("dir", "rtl");
});
