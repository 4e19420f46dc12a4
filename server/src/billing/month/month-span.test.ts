import { expect, test } from "vitest";
import { monthsAfter } from "../documents/statement-month.ts";
import { monthSpan } from "./month-span.ts";

const at = (iso: string) => new Date(iso);

test("a month is half open in UTC; a running one ends now, and bookings of its last moment have ten minutes", () => {
  const end = at("2026-12-01T00:00:00.000Z");
  expect(monthSpan("2026-11", at("2026-11-26T08:00:00Z"))).toEqual({
    month: "2026-11",
    from: at("2026-11-01T00:00:00.000Z"),
    to: at("2026-11-26T08:00:00Z"),
    complete: false,
  });
  expect(monthSpan("2026-11", at("2026-12-01T00:09:59Z"))).toMatchObject({ to: end, complete: false });
  expect(monthSpan("2026-11", at("2026-12-01T00:10:00Z"))).toMatchObject({ to: end, complete: true });
  expect(monthsAfter("2026-01", -1)).toBe("2025-12");
});

test.each(["2026-13", "2026-12", "1999-01", "x"])("there is no month %s", (month) => {
  expect(() => monthSpan(month, at("2026-11-26T08:00:00Z"))).toThrow(expect.objectContaining({ code: "not_found" }));
});
