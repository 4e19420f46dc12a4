import { cleanup, render, screen, within } from "@testing-library/react";
import { afterEach, beforeAll, expect, test, vi } from "vitest";
import type { EchoTestResult } from "../../../phone/echo/echo-test.ts";
import type { MediaPath } from "../../../phone/line/media-path.ts";
import { changeLanguage, loadTexts } from "../../../text/i18n.ts";
import { EchoTestPanel } from "./sound-dialog.tsx";

const shown = vi.hoisted(() => ({ result: null as unknown }));
vi.mock("../phone-session.ts", () => ({
  usePhone: () => ({ echoTest: { status: "done", result: shown.result, error: null }, obstacle: null }),
}));

const good: EchoTestResult = {
  ...{ heard: true, levelDb: 0, roundTripMs: 80, lossPct: 0, mos: 4.4, voiceLevel: 0.8 },
  path: null,
};

function showResult(result: Partial<EchoTestResult>): void {
  shown.result = { ...good, ...result };
  render(<EchoTestPanel />);
}

beforeAll(() => Promise.all([loadTexts("dialer"), loadTexts("dialer-parts")]));
afterEach(async () => {
  cleanup();
  await changeLanguage("en");
});

test.each<[MediaPath, string]>([
  ["direct", "Direct"],
  ["relay", "Relay"],
  ["udp", "Relay (UDP)"],
  ["tcp", "Relay (TCP)"],
  ["tls", "Relay (TLS)"],
])("a test call whose sound went %s says so: %s", (path, words) => {
  showResult({ path });
  expect(plain(screen.getByText("Connection").nextSibling)).toBe(words);
  expect(screen.getByText("The line is good. The sound came back.")).toBeVisible();
});

test("a network that blocks all sound is reported at once, with advice", () => {
  showResult({ heard: false, path: "none", levelDb: null, roundTripMs: null, lossPct: null, mos: null, voiceLevel: 0 });
  expect(screen.getByRole("alert")).toHaveTextContent("This network blocks calls. Try another network, for example mobile data.");
  expect(screen.queryByText("Connection")).toBeNull();
  expect(screen.getByRole("button", { name: "Test again" })).toBeEnabled();
});

test("silence on an open path is not blamed on the network alone", () => {
  showResult({ heard: false, path: "direct", levelDb: null, roundTripMs: null });
  expect(screen.getByText("Nothing came back. Check the network, or try another one.")).toBeVisible();
});

test("the transport's name keeps its direction in right-to-left text", async () => {
  await changeLanguage("ar");
  showResult({ path: "tls" });
  const region = within(screen.getByRole("region"));
  expect(plain(region.getByText("الاتصال").nextSibling)).toBe("عبر الترحيل (TLS)");
});

/** The text without directional marks. */
function plain(node: Node | null): string {
  return (node?.textContent ?? "").replaceAll(/[\u2066-\u2069\u200e\u200f]/g, "");
}
