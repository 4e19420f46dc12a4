import { expect, test } from "vitest";
import { drawSteps } from "./price-history.tsx";

const at = (day: number): string => `2026-01-${String(day).padStart(2, "0")}T00:00:00.000Z`;
const step = (day: number, lowest: string, highest = lowest) => ({ since: at(day), price: { lowest, highest } });

test("a price is a step from its day to the next, as high as its share of the highest", () => {
  expect(drawSteps({ steps: [step(1, "0.2000"), step(11, "0.1000")] }, at(21))).toEqual({
    ...{ line: "M0 3H120V30H240", band: "", top: "0.2000" },
  });
});

test("numbers with different prices make a band above the lowest", () => {
  expect(drawSteps({ steps: [step(1, "0.1000", "0.2000"), step(11, "0.1000")] }, at(21))).toEqual({
    ...{ line: "M0 30H120V30H240", band: "M0 30H120V3H0Z", top: "0.2000" },
  });
});

test("a time without a price is a gap", () => {
  const steps = [step(1, "0.2000"), { since: at(6), price: null }, step(11, "0.2000")];
  expect(drawSteps({ steps }, at(21)).line).toBe("M0 3H60M120 3H240");
});

test("a price that has just begun is wide enough to be seen", () => {
  expect(drawSteps({ steps: [step(1, "0.2000"), step(11, "0.1000")] }, at(11)).line).toBe("M0 3H230.4V30H240");
});
