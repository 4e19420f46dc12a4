import { expect, test } from "vitest";
import { monthsAfter } from "../documents/statement-month.ts";
import { monthSpan } from "./month-span.ts";

const at = (iso: string) => new Date(iso);
const spanAt = (month: string, now: string) => monthSpan(month, { since: at("2026-10-31T23:59:59Z"), now: at(now) });

test("a month is half open in UTC; a running one ends now, and bookings of its last moment have ten minutes", () => {
  const end = at("2026-12-01T00:00:00.000Z");
  expect(spanAt("2026-11", "2026-11-26T08:00:00Z")).toEqual({
    month: "2026-11",
    from: at("2026-11-01T00:00:00.000Z"),
    to: at("2026-11-26T08:00:00Z"),
    complete: false,
  });
  expect(spanAt("2026-11", "2026-12-01T00:09:59Z")).toMatchObject({ to: end, complete: false });
  expect(spanAt("2026-11", "2026-12-01T00:10:00Z")).toMatchObject({ to: end, complete: true });
  expect(monthsAfter("2026-01", -1)).toBe("2025-12");
});

test.each(["2026-13", "1999-01", "x"])("there is no month %s", (month) => {
  expect(() => spanAt(month, "2026-11-26T08:00:00Z")).toThrow("Choose a month.");
});

test("the books run from the first posting's month to the present one", () => {
  const now = "2026-11-26T08:00:00Z";
  expect(spanAt("2026-10", now)).toMatchObject({ month: "2026-10", from: at("2026-10-01T00:00:00Z"), complete: true });
  for (const month of ["2026-09", "2026-12", "2025-12"])
    expect(() => spanAt(month, now)).toThrow(`There are no books of ${month}. They run from 2026-10 to 2026-11.`);
});
