import { act, screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { aUser } from "../../../test/answers.ts";
import { refused } from "../../../test/fake-service.ts";
import { openApp, withFakeService } from "../../../test/open-app.tsx";
import { queryClient } from "../../service/query-client.ts";
import { getToken } from "../../session/session.ts";
import { changeLanguage } from "../../text/i18n.ts";

const service = withFakeService();

const cameBack = (query: string) => openApp(`/auth/google/callback?${query}`, { signedIn: false });

test("a code is exchanged for a session and removed from the URL", async () => {
  service().on("POST /api/auth/google/callback", { token: "fresh-token", user: aUser() });
  await cameBack("code=code-1&state=state-1");
  await waitFor(() => expect(getToken()).toBe("fresh-token"));
  await waitFor(() => expect(window.location.pathname + window.location.search).toBe("/dialer"));
  expect(service().bodies("POST /api/auth/google/callback")).toEqual([{ code: "code-1", state: "state-1", language: "en" }]);
});

test("a code is sent once, even if its outcome is dropped while the page is still shown", async () => {
  service().on("POST /api/auth/google/callback", {
    second_factor: { challenge: "challenge", methods: ["authenticator"], expires_at: "2026-05-18T09:10:00.000Z" },
  });
  await cameBack("code=code-5&state=state-5");
  await screen.findByRole("textbox");
  await act(async () => {
    // A new session drops what was read in the one before.
    queryClient.removeQueries({ queryKey: ["google-sign-in"] });
    await changeLanguage("fr");
  });
  expect(await screen.findByRole("textbox")).toBeVisible();
  expect(service().asked("POST /api/auth/google/callback")).toHaveLength(1);
});

test("a new customer gets mails in the language that was chosen here, not in the browser's", async () => {
  service().on("POST /api/auth/google/callback", { token: "fresh-token", user: aUser(), is_new: true });
  await openApp("/auth/google/callback?code=code-4&state=state-4", { signedIn: false, language: "fr" });
  await waitFor(() => expect(getToken()).toBe("fresh-token"));
  expect(service().asked("POST /api/auth/google/callback")).toMatchObject([{ body: { language: "fr" } }]);
});

test.each([
  ["error=access_denied", "Google authentication was cancelled or failed."],
  ["nothing=1", "No authorization code received from Google."],
])("coming back with %s says so and asks nothing", async (query, words) => {
  await cameBack(query);
  expect(await screen.findByRole("heading", { name: "Authentication Failed" })).toBeVisible();
  expect(screen.getByText(words)).toBeVisible();
  expect(screen.getByRole("link", { name: "Return to Login" })).toHaveAttribute("href", "/login");
  expect(service().asked("POST /api/auth/google/callback")).toEqual([]);
});

test("a refusal shows the service's message, followed by Google's after a colon", async () => {
  service().on(
    "POST /api/auth/google/callback",
    refused("google_failed", "Failed to authenticate with Google", { error: "bad state" }),
  );
  await cameBack("code=code-2&state=someone-elses");
  expect(await screen.findByRole("alert")).toHaveTextContent("Failed to authenticate with Google: bad state");
  expect(getToken()).toBeNull();
});

test("an account with an authenticator app requires its code before anything opens", async () => {
  service().on("POST /api/auth/google/callback", {
    second_factor: { challenge: "challenge", methods: ["authenticator"], expires_at: "2026-05-18T09:10:00.000Z" },
  });
  await cameBack("code=code-3&state=state-3");
  expect(await screen.findByRole("heading", { name: "One more step" })).toBeVisible();
  expect(getToken()).toBeNull();
  expect(screen.queryByRole("button", { name: "Use a recovery code" })).toBeNull();
});
