import { act, screen, waitFor } from "@testing-library/react";
import type { UserEvent } from "@testing-library/user-event";
import { expect } from "vitest";
import { aCall, aCallQuote } from "./answers.ts";
import type { FakeService } from "./fake-service.ts";
import { openApp } from "./open-app.tsx";
import { phoneEdges } from "./phone-in-app.ts";

/**
 * For tests: opens the dialer, calls Kwame Mensah in Ghana who answers. `phone/create-phone.ts` must be mocked by
 * `phone-in-app.ts`.
 */
export async function connectedCall(service: FakeService): Promise<UserEvent> {
  const id = answerCall(service);
  const person = await openApp("/dialer?number=%2B233200000142&name=Kwame+Mensah");
  await screen.findByText("Charged by the second");
  await person.click(await screen.findByRole("button", { name: "Call Now" }));
  await waitFor(() => expect(phoneEdges().client().calls.at(-1)?.state).toBe("requesting"));
  await waitFor(() => expect(phoneEdges().phone.state.call?.callId).toBe(id));
  act(() => phoneEdges().call().change("early"));
  act(() => phoneEdges().call().change("active"));
  expect(await screen.findByText("Connected")).toBeVisible();
  return person;
}

/** Prepares the service's answers about a call from its request to its end. Returns the call's id. */
function answerCall(service: FakeService): string {
  const running = { status: "in-progress", end_reason: null, cost: "0.00", max_seconds: 600, ended_at: null } as const;
  let call = aCall({ ...running, created_at: new Date().toISOString(), answered_at: new Date().toISOString() });
  service.on("POST /api/calls/quote", aCallQuote());
  service.on("POST /api/calls/initiate", {
    call: { ...call, status: "initiated", answered_at: null },
    ticket: "t".repeat(43),
    caller_number: "+15550001111",
    ticket_expires_at: call.created_at,
  });
  service.on("GET /api/calls/:id", () => ({ call }));
  service.on("POST /api/calls/:id/stay", () => ({ call }));
  service.on("PATCH /api/calls/:id/control-id", () => ({ call }));
  service.on("POST /api/calls/:id/quality", { kept: 1 });
  service.on("POST /api/calls/:id/hangup", () => {
    call = { ...call, status: "completed", end_reason: "hangup", duration_seconds: 5, cost: "0.012000" };
    return { call };
  });
  return call.id;
}
