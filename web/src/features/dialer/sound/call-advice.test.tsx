import { cleanup, render, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { aCallQuote } from "../../../../test/answers.ts";
import { openApp, withFakeService } from "../../../../test/open-app.tsx";
import { phoneEdges } from "../../../../test/phone-in-app.ts";
import type { CallService } from "../../../phone/call/call-service.ts";
import { CallAdvice } from "./call-advice.tsx";
import type { CallTrouble } from "./caller-place.ts";

/** A browser that builds no connections, as Lockdown Mode, Tor and some extensions leave it. */
vi.mock("../../../phone/create-phone.ts", async () => {
  const { createPhone, phoneEdges: edges } = await import("../../../../test/phone-in-app.ts");
  return {
    createPhone: (service: CallService) => {
      const phone = createPhone(service);
      edges().obstacle = "no_connections";
      return phone;
    },
  };
});

const service = withFakeService();

const IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)";
const ANDROID = "Mozilla/5.0 (Linux; Android 14; SM-A546B; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0";
const PLACES = {
  instagramOnAndroid: `${ANDROID} Chrome/140.0.0.0 Mobile Safari/537.36 Instagram 350.0.0.0.1 Android`,
  facebookOnIphone: `${IPHONE} Mobile/22G86 [FBAN/FBIOS;FBAV/480.0.0.0]`,
  webViewOnIphone: `${IPHONE} Mobile/22G86`,
  safariOnIphone: `${IPHONE} Version/18.6 Mobile/15E148 Safari/604.1`,
  chromeOnWindows:
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
} as const;

function openedIn(place: keyof typeof PLACES): void {
  vi.spyOn(navigator, "userAgent", "get").mockReturnValue(PLACES[place]);
}

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

describe("the dialer of a browser that blocks calls", () => {
  const callNow = () => screen.findByRole("button", { name: "Call Now" });
  const panel = () => within(screen.getByRole("main")).findByRole("alert");

  test("says so before the first press, also beside a number, and nothing can be pressed", async () => {
    openedIn("chromeOnWindows");
    service().on("POST /api/calls/quote", aCallQuote());
    await openApp("/dialer?number=%2B233200000142");
    phoneEdges().phone.checkPage();
    await waitFor(async () => expect(await panel()).toHaveTextContent(/^This browser blocks calls\. Turn off extensions/));
    expect(await callNow()).toBeDisabled();
    expect(phoneEdges().clients).toEqual([]);
    expect(service().asked("POST /api/calls/initiate")).toEqual([]);
  });

  test("takes the number to another browser with the pauses of its extension, no more and no fewer", async () => {
    openedIn("instagramOnAndroid");
    service().on("POST /api/calls/quote", aCallQuote());
    await openApp("/dialer?number=%2B233200000142%2C%2C12");
    phoneEdges().phone.checkPage();
    const link = await screen.findByRole("link", { name: "Open browser" });
    expect(link.getAttribute("href")).toContain("/dialer?number=%2B233200000142%2C%2C12#");
  });

  test("in the sound check says the same, and starts no test call", async () => {
    openedIn("safariOnIphone");
    const person = await openApp("/dialer");
    await person.click(await screen.findByRole("button", { name: "Sound check" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Sound check" }));
    expect(await dialog.findByText(/^This browser blocks calls\. If Lockdown Mode is on/)).toBeVisible();
    expect(dialog.getByRole("button", { name: "Start the test call" })).toBeDisabled();
    expect(dialog.queryByText(/phone line does not open/)).toBeNull();
  });
});

describe("the advice", () => {
  const show = (of: CallTrouble, path = "/dialer") => render(<CallAdvice of={of} path={path} />);
  const NUMBER = "/dialer?number=%2B233200000142";

  beforeEach(() => openApp("/dialer").then(() => cleanup()));

  test("in an app on Android opens the phone's browser with the number", () => {
    openedIn("instagramOnAndroid");
    show("denied", NUMBER);
    expect(screen.getByText(/^Instagram can’t make calls\. Tap ⋯/)).toBeVisible();
    expect(screen.getByRole("link", { name: "Open browser" })).toHaveAttribute(
      "href",
      `intent://${location.host}${NUMBER}#Intent;scheme=${location.protocol.slice(0, -1)};action=android.intent.action.VIEW;end`,
    );
  });

  test.each([
    ["facebookOnIphone", /^Facebook can’t make calls/],
    ["webViewOnIphone", /^This app can’t make calls/],
  ] as const)("in %s names the app, and copies the link", async (place, words) => {
    const person = userEvent.setup();
    const copied = vi.spyOn(navigator.clipboard, "writeText").mockResolvedValue();
    openedIn(place);
    show("no_microphone", NUMBER);
    expect(screen.getByText(words)).toBeVisible();
    expect(screen.queryByRole("link")).toBeNull();
    await person.click(screen.getByRole("button", { name: "Copy link" }));
    expect(copied).toHaveBeenCalledWith(location.origin + NUMBER);
    expect(await screen.findByRole("button", { name: "Copied" })).toBeVisible();
  });

  test("shows the link where the app does not let it be copied", async () => {
    const person = userEvent.setup();
    vi.spyOn(navigator.clipboard, "writeText").mockRejectedValue(new DOMException("no", "NotAllowedError"));
    openedIn("facebookOnIphone");
    show("denied", NUMBER);
    await person.click(screen.getByRole("button", { name: "Copy link" }));
    expect(await screen.findByText(location.origin + NUMBER)).toBeVisible();
  });

  test("in a frame opens a tab of its own", () => {
    openedIn("chromeOnWindows");
    show("forbidden", NUMBER);
    expect(screen.getByRole("link", { name: "Open in a new tab" })).toHaveAttribute("href", location.origin + NUMBER);
  });

  test.each([
    ["insecure", /^Calls work only on a secure page\. Put https:\/\//],
    ["no_microphone", /^This browser gives web pages no microphone/],
    ["denied_by_system", /^Windows blocks the microphone\./],
    ["denied", /^In Chrome: click the icon left of the address/],
  ] as const)("for %s on a computer is to the point", (of, words) => {
    openedIn("chromeOnWindows");
    show(of);
    expect(screen.getByText((_, element) => words.test(element?.tagName === "P" ? plain(element) : ""))).toBeVisible();
  });
});

/** Without the marks that keep an address in one direction. */
function plain(element: Element): string {
  return (element.textContent ?? "").replaceAll(/[\u2066-\u2069\u200e]/g, "");
}
