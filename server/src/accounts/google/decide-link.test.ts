import fc from "fast-check";
import { expect, test } from "vitest";
import { decideLink, type GoogleClaims, type LocalAccount } from "./decide-link.ts";

const claims: GoogleClaims = {
  issuer: "https://accounts.google.com",
  subject: "1",
  email: "ada@gmail.com",
  emailVerified: true,
  name: "Ada",
  hostedDomain: null,
};
const local: LocalAccount = { emailVerified: true, hasTransactions: false, hasGoogle: false };
const decide = (change: { known?: boolean; claims?: Partial<GoogleClaims>; local?: Partial<LocalAccount> | null }) =>
  decideLink({
    known: change.known ?? false,
    claims: { ...claims, ...change.claims },
    local: change.local === null ? null : { ...local, ...change.local },
  });

test.each([
  ["a known identity, whatever else", { known: true, claims: { emailVerified: false }, local: null }, "sign_in"],
  ["an address Google has not verified", { claims: { emailVerified: false }, local: null }, "refuse_unverified"],
  ["the same with an existing account", { claims: { emailVerified: false } }, "refuse_unverified"],
  ["an unknown address", { local: null }, "create"],
  ["a verified account and a Gmail address", {}, "link"],
  [
    "a verified account and a Workspace address",
    { claims: { email: "ada@company.example", hostedDomain: "company.example" } },
    "link",
  ],
  ["a verified account and a mailbox elsewhere", { claims: { email: "ada@company.example" } }, "link_by_owner"],
  ["a domain that only ends like Gmail", { claims: { email: "ada@notgmail.com" } }, "link_by_owner"],
  ["a verified account with another Google account", { local: { hasGoogle: true } }, "link_by_owner"],
  ["an account with an unverified address", { local: { emailVerified: false } }, "take_over"],
  ["the same with money in it", { local: { emailVerified: false, hasTransactions: true } }, "reset_first"],
])("%s", (_what, given, decision) => {
  expect(decide(given)).toBe(decision);
});

const anyCase = fc.record({
  known: fc.boolean(),
  claims: fc.record({
    emailVerified: fc.boolean(),
    hostedDomain: fc.constantFrom(null, "company.example"),
    email: fc.constantFrom("ada@gmail.com", "ada@company.example"),
  }),
  local: fc.option(fc.record({ emailVerified: fc.boolean(), hasTransactions: fc.boolean(), hasGoogle: fc.boolean() })),
});

test("an address that Google has not verified never opens an existing account", () => {
  fc.assert(
    fc.property(anyCase, (given) => {
      fc.pre(!given.known && !given.claims.emailVerified);
      expect(decide(given)).toBe("refuse_unverified");
    }),
  );
});

test("an address opens an account only if verified here, or after earlier access is revoked", () => {
  fc.assert(
    fc.property(anyCase, (given) => {
      const decision = decide(given);
      if (decision === "link") expect(given.local?.emailVerified).toBe(true);
      if (decision === "take_over") expect(given.local).toMatchObject({ emailVerified: false, hasTransactions: false });
    }),
  );
});
