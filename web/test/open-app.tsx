import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { userEvent, type UserEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, vi } from "vitest";
import { App } from "../src/app/app.tsx";
export { openFirstPage } from "../src/app/routes.tsx";
import { followLiveEvents, liveEventsOpened } from "../src/service/live-events.ts";
import { queryClient } from "../src/service/query-client.ts";
import { takeSecretsFromAddress } from "../src/session/address-secrets.ts";
import { dropSession, setCallLive, startSession } from "../src/session/session.ts";
import { changeLanguage } from "../src/text/i18n.ts";
import { attachToaster } from "../src/ui/messages/toast.ts";
import type { Language } from "@farline/contract/languages.ts";
import { answerNewCustomer } from "./answers.ts";
import { FakeService } from "./fake-service.ts";

/** For tests: renders the web app at an address in a simulated DOM, against a fake service. */

interface Opening {
  /** A visitor has no session. */
  readonly signedIn?: boolean;
  readonly language?: Language;
}

// A query that failed is tried again at once.
queryClient.setDefaultOptions({ queries: { ...queryClient.getDefaultOptions().queries, retryDelay: 1 } });

/** External URLs the page navigated to. */
export const left = vi.fn<(url: string) => void>();

/** Addresses of the files the page downloaded. */
export const downloaded = vi.fn<(url: string | null) => void>();

/** Follows a link. Returns whether the app opens it without loading the page again, which would end a call. */
export const opensInside = (link: HTMLElement): boolean => !fireEvent.click(link);

let service = new FakeService();
let stopLiveEvents = () => {};

/** Gives each test of a file its own fake service, prepared for a new customer. Call it at the top of the file. */
export function withFakeService(): () => FakeService {
  beforeEach(() => {
    service = new FakeService();
    answerNewCustomer(service);
    vi.stubGlobal("fetch", service.fetch);
    localStorage.setItem("tutorial", "done");
    vi.spyOn(window.location, "assign").mockImplementation((url) => left(String(url)));
    vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (this: HTMLAnchorElement) {
      downloaded(this.getAttribute("href"));
    });
    vi.spyOn(window.location, "replace").mockImplementation((url) => left(String(url)));
  });
  afterEach(async () => {
    cleanup();
    // A toast that still waits for the toaster must not appear in the next test.
    attachToaster({ show: () => {}, dismiss: () => {} })();
    stopLiveEvents();
    setCallLive(false);
    dropSession();
    queryClient.clear();
    await changeLanguage("en");
    localStorage.clear();
    sessionStorage.clear();
    left.mockReset();
    downloaded.mockReset();
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
    expect(service.faults).toEqual([]);
  });
  return () => service;
}

/** Opens the app at `address`, by default as a signed-in customer. Returns the simulated user. */
export async function openApp(address: string, { signedIn = true, language = "en" }: Opening = {}): Promise<UserEvent> {
  window.history.replaceState(null, "", address);
  takeSecretsFromAddress();
  if (signedIn) startSession("token-of-grace");
  stopLiveEvents = followLiveEvents();
  await changeLanguage(language);
  await liveEventsOpened();
  const person = userEvent.setup({ delay: null, applyAccept: false });
  render(<App />);
  await screen.findAllByRole("heading");
  return person;
}
