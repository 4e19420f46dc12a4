import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { CallerIds } from "./caller-ids.ts";

const OWN = "+12025550143";
const CUSTOMERS = "+13035550100";

test("a proof of an earlier key is valid as long as that key is accepted", () => {
  const [key, next] = [randomBytes(32), randomBytes(32)];
  const { proof } = new CallerIds(OWN, [key]).prove(CUSTOMERS);
  expect(new CallerIds(OWN, [key, next]).allows(CUSTOMERS, proof)).toBe(true);
  expect(new CallerIds(OWN, [next, key]).allows(CUSTOMERS, proof)).toBe(true);
  expect(new CallerIds(OWN, [next]).allows(CUSTOMERS, proof)).toBe(false);
  expect(new CallerIds(OWN, [next]).allows(CUSTOMERS, new CallerIds(OWN, [next, key]).prove(CUSTOMERS).proof)).toBe(true);
});
