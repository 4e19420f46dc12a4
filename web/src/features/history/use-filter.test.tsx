import { act, renderHook } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { expect, test } from "vitest";
import { useFilter } from "./call-filter.ts";

test("two filter choices within one frame are both kept", () => {
  const { result } = renderHook(() => useFilter(), { wrapper: MemoryRouter });
  act(() => {
    result.current[1]({ country: "GH" });
    result.current[1]({ status: "failed" });
  });
  expect(result.current[0]).toMatchObject({ country: "GH", status: "failed" });
  act(() => result.current[1]({ country: "" }));
  expect(result.current[0]).toMatchObject({ country: "", status: "failed" });
});
