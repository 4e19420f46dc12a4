import { describe, expect, test } from "vitest";
import { countParts, noFilter, readFilter, toQuery } from "./call-filter.ts";

const read = (address: string) => readFilter(new URLSearchParams(address));

describe("the filter in the address", () => {
  test("reads valid values and ignores the rest", () => {
    expect(read("from=2026-11-01&to=2026-11-21&country=GH&status=failed&search=ama&number=%2B233200000142")).toEqual({
      ...noFilter,
      from: "2026-11-01",
      to: "2026-11-21",
      country: "GH",
      status: "failed",
      search: "ama",
      number: "+233200000142",
    });
    expect(read("from=soon&to=2026-02-30&country=ghana&status=odd&contact=1&number=12")).toEqual(noFilter);
    expect(read(`search=${"x".repeat(500)}`).search).toHaveLength(100);
  });

  test("includes both days of a range, in the reader's time zone", () => {
    const { from, to } = toQuery({ ...noFilter, from: "2026-11-01", to: "2026-11-01" });
    expect(new Date(from ?? "")).toEqual(new Date(2026, 10, 1));
    expect(new Date(to ?? "")).toEqual(new Date(2026, 10, 2));
    expect(toQuery({ ...noFilter, search: "  " })).toEqual({});
  });

  test("counts the active filters", () => {
    expect(countParts(noFilter)).toBe(0);
    expect(countParts({ ...noFilter, country: "GH", search: "a" })).toBe(2);
  });
});
