import { act, screen, waitFor, within } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { aCall, callDetails } from "../../../../test/answers.ts";
import { openApp, withFakeService } from "../../../../test/open-app.tsx";
import { phoneEdges } from "../../../../test/phone-in-app.ts";

vi.mock("../../../phone/create-phone.ts", () => import("../../../../test/phone-in-app.ts"));

const service = withFakeService();

afterEach(() => phoneEdges().phone.signOut());

const running = aCall({ status: "in-progress", end_reason: null, ended_at: null, contact_name: "Kwame Mensah" });

test("a call in another tab replaces the dial pad and can be ended from here", async () => {
  let live: typeof running | null = running;
  service().on("GET /api/calls/live", () => ({ call: live, rejoinable: false, line_id: null, now: new Date().toISOString() }));
  service().on("GET /api/calls/:id", () => ({ call: live ?? { ...running, status: "completed" } }));
  service().on("POST /api/calls/:id/hangup", () => {
    live = null;
    return { call: { ...running, status: "completed", end_reason: "hangup", hung_up_by: "caller" } };
  });
  const person = await openApp("/dialer");
  const card = within(await screen.findByRole("alert", { name: "A call is open elsewhere" }));
  expect(card.getByText("Kwame Mensah")).toBeVisible();
  expect(card.queryByRole("button", { name: "Rejoin" })).toBeNull();
  expect(screen.queryByRole("button", { name: "Call Now" })).toBeNull();
  await person.click(card.getByRole("button", { name: "Hang Up" }));
  expect(await screen.findByRole("heading", { name: "You hung up" })).toBeVisible();
  // More than once if the page also repeats what it could not report before: the service ends a call once.
  const asked = service().asked("POST /api/calls/:id/hangup");
  expect(new Set(asked.map(({ id }) => id))).toEqual(new Set([running.id]));
});

/** The page is reloaded in the running call. */
function reloaded(call = running): void {
  sessionStorage.setItem("farline-call-of-this-tab", call.id);
  let live: typeof call | null = call;
  service().on("GET /api/calls/live", () => ({ call: live, rejoinable: true, line_id: null, now: new Date().toISOString() }));
  service().on("POST /api/calls/:id/stay", { call });
  service().on("POST /api/calls/:id/hangup", () => {
    live = null;
    return {
      call: { ...call, status: "completed", end_reason: "hangup", hung_up_by: "caller", ended_at: new Date().toISOString() },
    };
  });
  service().on("PATCH /api/calls/:id/control-id", { call });
}

test("the card says how long the call is kept and what it has cost; hanging up there shows the outcome", async () => {
  reloaded({ ...running, answered_at: new Date(Date.now() - 60_000).toISOString() });
  const person = await openApp("/dialer");
  const card = within(await screen.findByRole("alert", { name: "Your call is still open" }));
  expect(card.getByText(/^We hold the call for 4[345] s\./)).toBeVisible();
  expect(card.getByText(/^So far \$0\.\d{4}\. The call costs while it is open\.$/)).toBeVisible();
  await person.click(card.getByRole("button", { name: "Hang Up" }));
  expect(await screen.findByRole("heading", { name: "You hung up" })).toHaveFocus();
  service().on("POST /api/calls/:id/rating", { sound: "bad" });
  service().on("GET /api/calls/:id", { call: { ...running, status: "completed", end_reason: "hangup" } });
  service().on("GET /api/calls/:id/details", callDetails({ may_ask_refund: true }));
  const rating = within(await screen.findByRole("group", { name: "How was the sound?" }));
  await person.click(rating.getByRole("button", { name: "Bad" }));
  expect(await screen.findByRole("group", { name: "What was wrong?" })).toBeVisible();
  expect(service().asked("POST /api/calls/:id/rating")).toMatchObject([{ body: { sound: "bad" } }]);
});

test("with the microphone granted the call goes on by itself, and the page says so", async () => {
  reloaded();
  await openApp("/dialer");
  await screen.findByRole("alert", { name: "Your call is still open" });
  act(() => phoneEdges().microphone.permit("granted"));
  await waitFor(() => expect(phoneEdges().client().connected).toBe(true));
  act(() => void phoneEdges().client().offer(running.id));
  expect(await screen.findByText("Connected")).toBeVisible();
  expect(screen.getByText(/^You’re back in the call\./).closest("[role=status]")).toBeVisible();
});

test("the outcome of a call that ended during the reload waits while another number is entered", async () => {
  const ended = { ...running, status: "completed", end_reason: "hangup", ended_at: new Date().toISOString() } as const;
  sessionStorage.setItem("farline-call-of-this-tab", ended.id);
  service().on("GET /api/calls/live", { call: null, rejoinable: false, line_id: null, now: ended.ended_at });
  const release = service().hold("GET /api/calls/:id", { call: ended });
  const person = await openApp("/dialer");
  const field = await screen.findByLabelText("Phone number");
  await person.type(field, "+4930");
  await waitFor(() => expect(service().asked("GET /api/calls/:id")).not.toEqual([]));
  release();
  await waitFor(() => expect(phoneEdges().phone.state.lastCall).not.toBeNull());
  await person.type(field, "12");
  expect(field).toHaveValue("+49 30 12");
  expect(field).toHaveFocus();
  await person.clear(field);
  expect(await screen.findByRole("heading", { name: /ended|hung up/ })).toBeVisible();
});

test("a call in this tab before a reload can be rejoined with one press", async () => {
  reloaded();
  const person = await openApp("/dialer");
  const card = within(await screen.findByRole("alert", { name: "Your call is still open" }));
  await person.click(card.getByRole("button", { name: "Rejoin" }));
  expect(await screen.findByText("Reconnecting...")).toBeVisible();
  await waitFor(() => expect(phoneEdges().client().connected).toBe(true));
  act(() => void phoneEdges().client().offer(running.id));
  expect(await screen.findByText("Connected")).toBeVisible();
  expect(service().asked("POST /api/calls/:id/stay")[0]).toMatchObject({ id: running.id });
});

test("on another page it says once that the call goes on, also if nobody waited", async () => {
  // A call about which the page has not decided before.
  const call = { ...running, id: "0192a3b4-0000-7000-8000-0000000000bb" };
  reloaded(call);
  await openApp("/history");
  await waitFor(() => act(() => phoneEdges().microphone.permit("granted")));
  await waitFor(() => expect(phoneEdges().client().connected).toBe(true));
  act(() => void phoneEdges().client().offer(call.id));
  expect(await screen.findAllByText(/^You’re back in the call\./)).toHaveLength(1);
  act(() => void phoneEdges().phone.toggleMute());
  expect(screen.getAllByText(/^You’re back in the call\./)).toHaveLength(1);
});
