import { act, renderHook, screen, waitFor, within } from "@testing-library/react";
import { afterEach, describe, expect, test, vi } from "vitest";
import { aCall, aConfig, aCallQuote, aContact, listOf } from "../../../test/answers.ts";
import { refused } from "../../../test/fake-service.ts";
import { openApp, withFakeService } from "../../../test/open-app.tsx";
import { ScriptedRelays } from "../../../test/scripted-relays.ts";
import { phoneEdges } from "../../../test/phone-in-app.ts";
import { stubAudio } from "../../../test/silent-audio.ts";
import { PhoneError } from "../../phone/phone-error.ts";
import { useDialogPart } from "./dialer-parts.ts";

vi.mock("../../phone/create-phone.ts", () => import("../../../test/phone-in-app.ts"));

const service = withFakeService();

afterEach(() => {
  phoneEdges().phone.signOut();
  phoneEdges().microphone.refuse = null;
});

const number = () => screen.findByLabelText("Phone number");

describe("next to the dial pad", () => {
  test("the latest calls say how they went, without an amount for one that nobody answered", async () => {
    const missed = { status: "failed", end_reason: "no_answer", answered_at: null, duration_seconds: 0, cost: "0.00" } as const;
    service().on("GET /api/calls/history", {
      calls: listOf([
        aCall({ contact_name: "Kwame Mensah" }),
        aCall({ ...missed, id: "00000000-0000-4000-8000-000000000002", contact_name: "Priya Nair" }),
        aCall({ id: "00000000-0000-4000-8000-000000000003", contact_name: "Mama", cost: "0.0073", free_up_to: "0.25" }),
      ]),
    });
    await openApp("/dialer");
    expect(
      await screen.findByRole("button", { name: /^Call Kwame Mensah again, \+233 ?20 ?000 ?0142, .*, \$\d\.\d{4}$/ }),
    ).toHaveTextContent(/Kwame Mensah \+233 ?20/);
    expect(screen.getByRole("button", { name: /^Call Priya Nair again, .*, no answer$/ })).toBeVisible();
    expect(screen.getByRole("button", { name: /^Call Mama again, .*, Free$/ })).toBeVisible();
  });

  test("a favourite with its price and the time there is called with one press, extension included", async () => {
    service().on("POST /api/calls/quote", aCallQuote());
    const contacts = [aContact({ favorite: true, extension: ",12" })];
    service().on("GET /api/contacts", { contacts, next_cursor: null, total: 1 });
    const person = await openApp("/dialer");
    service().on("POST /api/calls/initiate", refused("internal"));
    const row = /^Call Kwame Mensah, \$0\.1420\/min, \d+:\d\d\s[AP]M in Ghana$/;
    await person.click(await screen.findByRole("button", { name: row }));
    await waitFor(async () => expect(await number()).toHaveValue("+233 20 000 0142"));
    expect(screen.getByLabelText("Extension")).toHaveValue(",12");
    expect(service().asked("GET /api/contacts")[0]?.query).toMatchObject({ favorites: "true" });
  });

  test("the list says when there are no calls, or when they could not be loaded", async () => {
    await openApp("/dialer");
    expect(await screen.findByText("No calls yet. Start making calls!")).toBeVisible();
  });

  test("a popular destination selects its country, in the reader's language", async () => {
    const person = await openApp("/dialer", { language: "es" });
    await person.click(await screen.findByRole("button", { name: /Reino Unido/ }));
    expect(screen.getByRole("combobox", { name: "País" })).toHaveValue("GB");
  });

  test.each([
    [false, "smooth"],
    [true, "instant"],
  ])("the page returns to its top, without moving where motion is reduced (%s)", async (isReduced, behavior) => {
    const person = await openApp("/dialer");
    const country = await screen.findByRole("button", { name: /United Kingdom/ });
    const asks = vi.spyOn(window, "matchMedia").mockImplementation((query) => {
      const list: Pick<MediaQueryList, "matches"> = { matches: query.includes("reduced-motion") && isReduced };
      return list as MediaQueryList;
    });
    const scrollTo = vi.spyOn(window, "scrollTo").mockImplementation(() => undefined);
    await person.click(country);
    expect(scrollTo.mock.calls).toEqual([[{ top: 0, behavior }]]);
    for (const stub of [asks, scrollTo]) stub.mockRestore();
  });

  test("contacts from a file are called by name, and removed at logout", async () => {
    service().on("POST /api/calls/quote", aCallQuote());
    service().on("POST /api/logout", undefined);
    const person = await openApp("/dialer");
    const chooser = await screen.findByTestId("import-file");
    const upload = (name: string, text: string) => person.upload(chooser, new File([text], name));
    await upload("people.txt", "x");
    expect(await screen.findByText("Please select a .vcf or .csv file")).toBeVisible();
    await upload("nobody.csv", "name,phone\n");
    expect(await screen.findByText("No contacts found in file")).toBeVisible();
    await upload("people.vcf", "BEGIN:VCARD\nVERSION:3.0\nFN:Kwame Mensah\nTEL:+233 20 000 0142\nEND:VCARD");
    expect(await screen.findByText("Imported 1 contact(s)")).toBeVisible();
    await person.click(await screen.findByRole("button", { name: /^Kwame Mensah/ }));
    await waitFor(async () => expect(await number()).toHaveValue("+233 20 000 0142"));
    const own = () => Object.keys(localStorage).filter((key) => key.startsWith("own:"));
    expect(own()).toContainEqual(expect.stringMatching(/:contacts$/));
    await person.click(screen.getByRole("button", { name: "Logout" }));
    expect(own()).toEqual([]);
  });

  test("the sound check reports a missing microphone, tests the network, and says how to allow a microphone", async () => {
    const person = await openApp("/dialer");
    await person.click(await screen.findByRole("button", { name: "Sound check" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Sound check" }));
    phoneEdges().microphone.refuse = new PhoneError("microphone_denied");
    await person.click(await dialog.findByRole("button", { name: "Allow the microphone" }));
    expect(await dialog.findByText(/^Microphone access is required/)).toBeVisible();
    expect(await dialog.findByText(/^Good\. The service answers in \d+ ms\.$/)).toBeVisible();
    expect(dialog.getByRole("button", { name: "Start the test call" })).toBeVisible();
    await person.click(dialog.getByRole("button", { name: "Close" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  });
});

describe("the sound check of a customer for whom the line stays closed", () => {
  async function network(code: Parameters<typeof refused>[0], message: string) {
    service().on("GET /api/calls/token", refused(code, message));
    const person = await openApp("/dialer");
    await person.click(await screen.findByRole("button", { name: "Sound check" }));
    return within(await screen.findByRole("region", { name: "Network" }));
  }

  test("finds the network good without credit", async () => {
    const part = await network("no_credit", "Add credit first. Then you can make calls.");
    expect(await part.findByText(/^Good\. The service answers in \d+ ms\.$/)).toBeVisible();
  });

  test("says the service's reason for a locked account", async () => {
    const part = await network("forbidden", "Your account is locked. Contact us.");
    expect(await part.findByText("Your account is locked. Contact us.")).toBeVisible();
    expect(part.queryByText(/Try another network/)).toBeNull();
  });
});

describe("an inaudible microphone", () => {
  const refusal = () => screen.queryByText(/^Open the settings of this site/);

  test("is reported before a call, until the user allows it in the browser", async () => {
    await openApp("/dialer");
    await number();
    act(() => phoneEdges().microphone.permit("denied"));
    expect(await screen.findByText(/^Open the settings of this site/)).toBeVisible();
    act(() => phoneEdges().microphone.permit("granted"));
    await waitFor(() => expect(refusal()).toBeNull());
    expect(await screen.findByText("The microphone is ready")).toBeVisible();
  });

  test("is reported in the sound check, which shows the level once it can be heard", async () => {
    stubAudio();
    const person = await openApp("/dialer");
    await person.click(await screen.findByRole("button", { name: "Sound check" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Sound check" }));
    act(() => phoneEdges().microphone.permit("denied"));
    expect(await dialog.findByText(/^Microphone access is required/)).toBeVisible();
    act(() => phoneEdges().microphone.permit("granted"));
    expect(await dialog.findByText(/^Say something/)).toBeVisible();
    act(() => phoneEdges().microphone.happens("mute"));
    expect(await dialog.findByText(/^Your system has muted the microphone/)).toBeVisible();
    act(() => phoneEdges().microphone.happens("unmute"));
    expect(await dialog.findByText(/^Say something/)).toBeVisible();
    act(() => phoneEdges().microphone.happens("ended"));
    expect(await dialog.findByText(/^No microphone was found/)).toBeVisible();
    vi.unstubAllGlobals();
  });
});

describe("the sound check of a network with relays", () => {
  const TLS = "turns:turn.example.com:443?transport=tcp";
  const UDP = "turn:turn.example.com:3478?transport=udp";

  async function openCheck(open: readonly string[]) {
    const relays = new ScriptedRelays();
    relays.open = open;
    relays.refusing = [TLS, UDP].filter((url) => !open.includes(url));
    vi.stubGlobal("RTCPeerConnection", relays.peerClass);
    const server = { username: "name", credential: "password" };
    service().on("GET /api/calls/token", () => ({
      token: "voice-token",
      expires_at: new Date(Date.now() + 3_600_000).toISOString(),
      voice: { host: null, ice_servers: [UDP, TLS].map((urls) => ({ urls, ...server })), trickle_ice: true },
      caller_number: "+12025550143",
    }));
    const person = await openApp("/dialer");
    await person.click(await screen.findByRole("button", { name: "Sound check" }));
    return within(await screen.findByRole("dialog", { name: "Sound check" }));
  }

  test("lists the transports to a relay", async () => {
    const dialog = await openCheck([TLS]);
    const told = await dialog.findByText(/^A relay is ready for networks that block direct calls/);
    expect(told.textContent.replaceAll(/[\u2066-\u2069]/g, "")).toMatch(/\(TLS\)\.$/);
    expect(dialog.getByText(/^Good\./)).toBeVisible();
  });

  test("reports that no relay answers, and suggests the test call", async () => {
    const dialog = await openCheck([]);
    expect(await dialog.findByText(/^No relay answers\. Start the test call/)).toBeVisible();
    expect(dialog.getByRole("button", { name: "Start the test call" })).toBeEnabled();
  });
});

test("on a new device the country is that of the latest call", async () => {
  service().on("GET /api/calls/history", {
    calls: listOf([aCall({ destination_country: "GB", destination_number: "+442079460001" })]),
  });
  await openApp("/dialer");
  await waitFor(() => expect(screen.getByRole("combobox", { name: /country/i })).toHaveValue("GB"));
});

test("a dialog that cannot be loaded says so and leaves the page as it is; the next press tries again", async () => {
  await openApp("/dialer");
  const load = vi.fn<() => Promise<{ default: () => null }>>().mockRejectedValueOnce(new TypeError("no network"));
  load.mockResolvedValue({ default: () => null });
  const { result } = renderHook(() => useDialogPart(load));
  act(() => result.current.open());
  expect(await screen.findByText("Check your connection and try again.")).toBeVisible();
  expect(result.current).toMatchObject({ Part: null, isOpen: false });
  act(() => result.current.open());
  await waitFor(() => expect(result.current.isOpen).toBe(true));
  expect(await number()).toBeVisible();
});

describe("the tutorial", () => {
  const steps = () => screen.findByRole("dialog");

  test("has four steps and is shown once", async () => {
    localStorage.removeItem("tutorial");
    const person = await openApp("/dialer");
    for (const title of ["Top up credits", "Allow microphone access", "Select country code"]) {
      expect(within(await steps()).getByRole("heading", { name: title })).toBeVisible();
      const next = within(await steps()).getByRole("button", { name: "Next" });
      expect(next).toHaveFocus();
      await person.click(next);
    }
    expect(within(await steps()).getByRole("heading", { name: "Enter a number" })).toBeVisible();
    await person.click(within(await steps()).getByRole("button", { name: "Done" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(localStorage.getItem("tutorial")).toBe("done");
  });

  test("says first that the first call is free, where it is", async () => {
    localStorage.removeItem("tutorial");
    service().on("GET /api/config", aConfig({ first_call: "0.25" }));
    await openApp("/dialer");
    expect(await screen.findByRole("heading", { name: "Your first call is free" })).toBeVisible();
    expect(screen.queryByText("Top up credits")).toBeNull();
  });

  test("can be skipped, and is not shown while a call is open elsewhere", async () => {
    localStorage.removeItem("tutorial");
    const person = await openApp("/dialer");
    await person.click(within(await steps()).getByRole("button", { name: "Skip" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(localStorage.getItem("tutorial")).toBe("done");
  });
});

test("the dialer, too, shows the sandbox notice", async () => {
  service().on("GET /api/config", aConfig({ mode: "sandbox", sandbox_url: null }));
  await openApp("/dialer");
  expect(await screen.findByText(/^Sandbox/)).toBeVisible();
  expect(screen.getByText(/^Farline cannot call emergency numbers such as 112, 911 or 999\./)).toBeVisible();
});
