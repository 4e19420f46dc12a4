import { screen, waitFor } from "@testing-library/react";
import type { UserEvent } from "@testing-library/user-event";
import { describe, expect, test } from "vitest";
import { aUser } from "../../test/answers.ts";
import { openApp, withFakeService } from "../../test/open-app.tsx";
import { forgetReturnPath, keepReturnPath } from "../session/return-path.ts";

const service = withFakeService();
const session = { token: "fresh-token", user: aUser() };
const password = "a long enough phrase 42";

/** Each way to sign in, from its own page. */
const WAYS: Readonly<Record<string, () => Promise<void>>> = {
  password: () => signIn("/login"),
  "authenticator code": async () => {
    const second_factor = { challenge: "challenge", methods: ["authenticator" as const], expires_at: "2026-05-18T09:10:00.000Z" };
    service().on("POST /api/login/second-factor", session);
    const person = await fillIn("/login", { second_factor });
    await person.type(await screen.findByLabelText("Code"), "123456{Enter}");
  },
  Google: async () => {
    service().on("POST /api/auth/google/callback", session);
    await openApp(`/auth/google/callback?code=${crypto.randomUUID()}`, { signedIn: false });
  },
};

async function fillIn(path: string, answer: Parameters<ReturnType<typeof service>["on"]>[1]): Promise<UserEvent> {
  service().on("POST /api/login", answer as never);
  const person = await openApp(path, { signedIn: false });
  await person.type(await screen.findByLabelText("Email"), "grace@example.com");
  await person.type(screen.getByLabelText("Password"), `${password}{Enter}`);
  return person;
}

async function signIn(path: string): Promise<void> {
  await fillIn(path, session);
}

const arrives = (path: string) => waitFor(() => expect(window.location.pathname + window.location.search).toBe(path));

describe.each(Object.entries(WAYS))("signing in by %s", (_, enter) => {
  test("leads to the requested page, or to the dialer without one", async () => {
    keepReturnPath("/account?x=1", null);
    await enter();
    await arrives("/account?x=1");
  });

  test("leads to the dialer after a public page or a payment's return page", async () => {
    keepReturnPath("/account", null);
    forgetReturnPath();
    keepReturnPath("/billing/success?session_id=cs_1", null);
    await enter();
    await arrives("/dialer");
  });
});

test.each([
  ["the dialer, not at a page requested before", "/account", "/dialer"],
  ["the request for credit that brought them", "/credit", "/credit"],
  ["the family that invited them", "/family/join", "/family/join"],
])("a new customer starts at %s", async (_, requested, opened) => {
  keepReturnPath(requested, null);
  service().on("POST /api/register", session);
  const person = await openApp("/register", { signedIn: false });
  await person.type(screen.getByLabelText("Full Name"), "Grace");
  await person.type(screen.getByLabelText("Email"), "grace@example.com");
  await person.type(screen.getByLabelText("Password"), password);
  await person.type(screen.getByLabelText("Confirm Password"), `${password}{Enter}`);
  await arrives(opened);
});

test("an account created by Google sign-in starts at the dialer, not at a page requested before", async () => {
  keepReturnPath("/account", null);
  service().on("POST /api/auth/google/callback", { ...session, is_new: true });
  await openApp("/auth/google/callback?code=new", { signedIn: false });
  await arrives("/dialer");
});
