import { cleanup, render, screen } from "@testing-library/react";
import { userEvent, type UserEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, vi } from "vitest";
import { rightsOf, type OperatorRole } from "@farline/contract/operator/rights.ts";
import type { OperatorSessionResponse } from "@farline/contract/operator/session.ts";
import { ConsoleApp } from "../src/console/console-app.tsx";
import { consoleClient } from "../src/console/console-session.tsx";
import { FakeService } from "./fake-service.ts";

let service = new FakeService();

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
