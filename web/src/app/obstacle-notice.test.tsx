import { screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { openApp, withFakeService } from "../../test/open-app.tsx";

withFakeService();
afterEach(() => vi.unstubAllGlobals());

const notice = () => screen.findByText(/^This browser blocks calls/);

test.each([
  ["/register", false],
  ["/login", false],
  ["/topup", true],
  ["/contacts", true],
  ["/history", true],
  ["/dashboard", true],
])("where no call can work, %s says so before anything is paid or lost", async (path, signedIn) => {
  vi.stubGlobal("RTCPeerConnection", undefined);
  await openApp(path, { signedIn });
  expect(await notice()).toBeVisible();
});

test("a browser that can call sees no notice", async () => {
  await openApp("/register", { signedIn: false });
  expect(await screen.findByRole("heading", { level: 1 })).toBeVisible();
  expect(screen.queryByText(/blocks calls/)).toBeNull();
});
