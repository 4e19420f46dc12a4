import { expect, it } from "vitest";
import { eveningThere } from "./evening-there.ts";

it.each([
  [
    "GH",
    "2026-06-01T21:00:00Z",
    { there: "6:00\u00a0PM", here: "2:00\u00a0PM", isOdd: true, at: new Date("2026-06-02T18:00:00Z") },
  ],
  [
    "GH",
    "2026-06-01T17:59:00Z",
    { there: "6:00\u00a0PM", here: "2:00\u00a0PM", isOdd: false, at: new Date("2026-06-01T18:00:00Z") },
  ],
  ["GH", "2026-06-01T18:00:00Z", null],
  ["GH", "2026-06-01T20:59:00Z", null],
  ["IN", "2026-06-01T02:07:00Z", { there: "6:00\u00a0PM", here: "8:30\u00a0AM" }],
  ["US", "2026-06-01T02:07:00Z", null],
  ["XS", "2026-06-01T02:07:00Z", null],
])("in %s at %s", (country, now, evening) => {
  expect(eveningThere(country, new Date(now), "America/New_York")).toEqual(
    evening === null ? null : expect.objectContaining(evening),
  );
});
