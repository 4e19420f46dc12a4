import { cleanup, render, screen } from "@testing-library/react";
import { userEvent, type UserEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, vi } from "vitest";
import { rightsOf, type OperatorRole } from "@farline/contract/operator/rights.ts";
import type { OverviewResponse } from "@farline/contract/operator/overview.ts";
import type { OperatorSessionResponse } from "@farline/contract/operator/session.ts";
import { ConsoleApp } from "../src/console/console-app.tsx";
import { consoleClient } from "../src/console/console-session.tsx";
import { CUSTOMER_PAGE } from "./console-customer.ts";
import { FakeService } from "./fake-service.ts";

let service = new FakeService();

/** A day of a service that nobody uses. */
export const EMPTY_DAY = {
  ...{ day: "2026-11-26", calls: 0, answered: 0, seconds: 0, revenue: "0.00", margin: "0.00" },
  ...{ top_ups: 0, topped_up: "0.00", refunds: 0, refunded: "0.00", new_customers: 0 },
};

/** The overview of a service that nobody uses. */
export const emptyOverview: OverviewResponse = {
  at: "2026-11-26T03:00:00.000Z",
  unread: [],
  warnings: [],
  parts: [],
  queue: [],
  live: { ringing: 0, answered: 0, charge: "0.00", held: "0.00", cost: "0.00" },
  today: EMPTY_DAY,
  week_ago: { ...EMPTY_DAY, day: "2026-11-19" },
  trunks: [],
  ledger: { checked_at: null, good_at: null, deviations: 0 },
  decks: { active: null, next: null },
  first_steps: null,
};

const NO_HOURS = {
  from: "2026-11-26T03:00:00.000Z",
  ...{ calls: [0], answered: [0], seconds: [0], revenue: ["0.00"], margin: null, at: "2026-11-26T03:30:00.000Z" },
};

/** The answer to a sign-in of Grace, an administrator, or of another operator. */
export function sessionAs(role: OperatorRole = "admin", name = "Grace"): OperatorSessionResponse {
  const operator = {
    id: `0199bbbb-0000-7000-8000-00000000000${name.length}`,
    email: `${name.toLowerCase()}@farline.example`,
    name,
    role,
  };
  return { operator, rights: rightsOf(role), expires_at: "2026-11-26T16:00:00.000Z" };
}

/** Gives each test of a file its own fake service. Call it at the top of the file. */
export function withConsoleService(): () => FakeService {
  beforeEach(() => {
    service = new FakeService();
    service.on("GET /api/operator/queue/counts", { counts: [] });
    service.on("GET /api/operator/overview", emptyOverview);
    service.on("GET /api/operator/overview/hours", NO_HOURS);
    // Beside each case of the queue.
    service.on("POST /api/operator/queue/open", { held_by: null });
    service.on("GET /api/operator/customers/:id", CUSTOMER_PAGE);
    service.on("GET /api/operator/customers/:id/timeline", { entries: [], next_cursor: null });
    vi.stubGlobal("fetch", service.fetch);
  });
  afterEach(() => {
    cleanup();
    vi.unstubAllGlobals();
    expect(service.faults).toEqual([]);
  });
  return () => service;
}

/** Opens the console at `address` as the operator of a session; null for nobody. Returns the simulated user. */
export async function openConsole(address: string, session: OperatorSessionResponse | null = sessionAs()): Promise<UserEvent> {
  window.history.replaceState(null, "", address);
  if (session !== null) service.on("GET /api/operator/session", session);
  render(<ConsoleApp client={consoleClient()} />);
  await screen.findAllByRole("heading");
  return userEvent.setup({ delay: null });
}

/** Matches the innermost element whose whole text this is: a time in a sentence is an element of its own. */
export function sentence(wanted: string | RegExp): (content: string, element: Element | null) => boolean {
  const isWanted = (element: Element) => {
    const text = element.textContent.replaceAll(/\s+/g, " ").trim();
    return typeof wanted === "string" ? text === wanted : wanted.test(text);
  };
  return (_content, element) => element !== null && isWanted(element) && ![...element.children].some(isWanted);
}
