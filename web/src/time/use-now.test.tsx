// @vitest-environment happy-dom
import { act, render, screen } from "@testing-library/react";
import { beforeEach, expect, test, vi } from "vitest";
import { hearServiceTime } from "./clock.ts";
import { useCallSeconds, useDebounced, useMinute } from "./use-now.ts";

const TRUE_MS = Date.parse("2026-05-18T19:42:00.000Z");

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse("1970-01-03T00:00:00Z") });
  return () => vi.useRealTimers();
});

const answer = (at: number) =>
  hearServiceTime(
    new Response(null, { headers: { Date: new Date(at).toUTCString(), "Cache-Control": "no-store" } }),
    performance.now(),
  );

function Page({ answeredAt }: { readonly answeredAt: string }) {
  const seconds = useCallSeconds({ answered_at: answeredAt, ended_at: null, duration_seconds: 0 });
  return <p>{`${useMinute().toISOString().slice(0, 16)} ${seconds}`}</p>;
}

test("a device whose clock starts in 1970 shows the service's time from the first response on", () => {
  render(<Page answeredAt={new Date(TRUE_MS - 60_000).toISOString()} />);
  expect(screen.getByText("1970-01-03T00:00 0")).toBeTruthy();
  act(() => answer(TRUE_MS));
  expect(screen.getByText("2026-05-18T19:42 60")).toBeTruthy();
  vi.setSystemTime(Date.parse("2100-01-01"));
  act(() => void vi.advanceTimersByTime(60_000));
  expect(screen.getByText("2026-05-18T19:43 120")).toBeTruthy();
});

function Search({ text, atOnce = false }: { readonly text: string; readonly atOnce?: boolean }) {
  return <p>{useDebounced(text, 250, atOnce)}</p>;
}

test("a value settles after the pause, and one that was wanted at once stays settled", () => {
  const { rerender } = render(<Search text="a" />);
  rerender(<Search text="ab" />);
  expect(screen.getByText("a")).toBeTruthy();
  act(() => void vi.advanceTimersByTime(250));
  expect(screen.getByText("ab")).toBeTruthy();
  rerender(<Search text="abc" atOnce />);
  expect(screen.getByText("abc")).toBeTruthy();
  rerender(<Search text="abc" />);
  expect(screen.getByText("abc")).toBeTruthy();
});
