import { MINUTE_MS } from "@farline/domain/durations.ts";
import { randomBytes } from "node:crypto";
import { PROOF_BITS, PROOFS, type RobotProof } from "@farline/contract/robot-check.ts";
import { beforeAll, expect, test } from "vitest";
import { solveChallenge } from "../../../test/fakes/solve-challenge.ts";
import type { SecretKey, SecretKeys } from "../../platform/settings/secret-keys.ts";
import { checkProof, issueChallenge } from "./robot-check.ts";

const key = (id: string): SecretKey => ({ id, secret: randomBytes(32) });
const keys: SecretKeys = [key("new"), key("old")];
const now = new Date("2026-03-01T12:00:00Z");

let proof: RobotProof;
beforeAll(() => {
  proof = solveChallenge(issueChallenge(keys, "sign_in", now));
});

test("a challenge takes sixteen proofs of thirteen bits: about a second of work", () => {
  expect(issueChallenge(keys, "sign_in", now)).toMatchObject({ proofs: 16, bits: 13 });
});

test("a solved challenge is accepted for five minutes", () => {
  const expiresAt = new Date(now.getTime() + 5 * MINUTE_MS);
  expect(checkProof(keys, "sign_in", proof, { now })).toMatchObject({ expiresAt });
  expect(checkProof(keys, "sign_in", proof, { now: new Date(expiresAt.getTime() - 1) })).not.toBeNull();
  expect(checkProof(keys, "sign_in", proof, { now: expiresAt })).toBeNull();
});

test("a proof is refused for another purpose and by a service with other secrets", () => {
  expect(checkProof(keys, "register", proof, { now })).toBeNull();
  expect(checkProof([keys[1] as SecretKey], "sign_in", proof, { now })).toBeNull();
  expect(checkProof([key("other"), keys[0]], "sign_in", proof, { now })).not.toBeNull();
});

test("a wrong counter, reordered counters and another challenge's counters are refused", () => {
  const { token, counters } = proof;
  const [first = 0, ...others] = counters;
  const other = issueChallenge(keys, "sign_in", now).token;
  for (const wrong of [
    { token, counters: [(first + 1) % 2 ** 32, ...others] },
    { token, counters: counters.toReversed() },
    { token, counters: others },
    { token, counters: [] },
    { token: other, counters },
  ])
    expect(checkProof(keys, "sign_in", wrong, { now })).toBeNull();
});

test("a tampered or forged challenge is refused", () => {
  const bytes = Buffer.from(proof.token, "base64url");
  const later = Buffer.from(bytes);
  later.writeUIntBE(now.getTime() + 60 * MINUTE_MS, 16, 6);
  const given = { token: later.toString("base64url"), proofs: PROOFS, bits: PROOF_BITS, expires_at: now.toISOString() };
  expect(checkProof(keys, "sign_in", solveChallenge(given), { now })).toBeNull();
  for (const token of ["", "a", `${proof.token}A`, randomBytes(54).toString("base64url")])
    expect(checkProof(keys, "sign_in", { ...proof, token }, { now })).toBeNull();
});
