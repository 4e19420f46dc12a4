import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { CallList, type ListedCall, type ListPage } from "./call-list.ts";

const START_MS = Date.parse("2026-01-01T00:00:00.000Z");

function call(minute: number, status: ListedCall["status"] = "completed"): ListedCall {
  return {
    id: `00000000-0000-7000-8000-${String(minute).padStart(12, "0")}`,
    destination_number: "+442079460000",
    destination_country: "GB",
    destination_country_name: "United Kingdom",
    contact_name: null,
    status,
    end_reason: null,
    hung_up_by: null,
    duration_seconds: 1,
    cost: "0.01",
    rate_per_minute: "0.0100",
    answered_at: null,
    ended_at: null,
    // Two calls per instant, so that the id must order them.
    created_at: new Date(START_MS + Math.floor(minute / 2) * 60_000).toISOString(),
  };
}

/** A service with these calls, newest first; the cursor is the id of the last call shown. */
class Service {
  calls: ListedCall[];
  constructor(count: number) {
    this.calls = Array.from({ length: count }, (_, index) => call(count - index));
  }
  add(count: number): void {
    for (let i = 0; i < count; i++) this.calls.unshift(call(this.calls.length + 1));
  }
  page(size: number, after: string | null = null): ListPage {
    const from = after === null ? 0 : this.calls.findIndex(({ id }) => id === after) + 1;
    const calls = this.calls.slice(from, from + size);
    const more = from + size < this.calls.length;
    return { calls, nextCursor: more ? (calls.at(-1)?.id ?? null) : null };
  }
}

const ids = (calls: readonly ListedCall[]) => calls.map(({ id }) => id);

describe("a list of calls", () => {
  test.prop([
    fc.integer({ min: 0, max: 30 }),
    fc.integer({ min: 1, max: 7 }),
    fc.array(fc.oneof(fc.constant("more"), fc.constant("top"), fc.integer({ min: 1, max: 12 })), { maxLength: 25 }),
  ])("is always the top of the service's list, each call once, whatever is made meanwhile", async (count, size, steps) => {
    const service = new Service(count);
    const list = new CallList(async (cursor) => service.page(size, cursor));
    list.takeTop(service.page(size));
    for (const step of steps) {
      if (step === "more") await list.loadMore();
      else if (step === "top") list.takeTop(service.page(size));
      else service.add(Number(step));
    }
    list.takeTop(service.page(size));
    while (list.state().hasMore) await list.loadMore();
    expect(ids(list.state().calls)).toEqual(ids(service.calls));
  });

  test("updates a call in place and keeps the pages loaded further down", async () => {
    const service = new Service(9);
    service.calls[0] = call(9, "ringing");
    const list = new CallList(async (cursor) => service.page(3, cursor));
    list.takeTop(service.page(3));
    await list.loadMore();
    service.calls[0] = call(9, "completed");
    list.takeTop(service.page(3));
    expect(list.state().calls.map(({ status }) => status)).toEqual(Array(6).fill("completed"));
    expect(list.state().hasMore).toBe(true);
  });

  test("ignores a page that arrives after a reset", async () => {
    const service = new Service(6);
    let arrive = (_page: ListPage): void => undefined;
    const list = new CallList(() => new Promise((settle) => (arrive = settle)));
    list.takeTop(service.page(3));
    const late = list.loadMore();
    const old = service.page(3, list.state().calls[2]?.id ?? null);
    service.add(20);
    list.takeTop(service.page(3));
    arrive(old);
    await late;
    expect(ids(list.state().calls)).toEqual(ids(service.calls.slice(0, 3)));
  });

  test("reports a page that failed to load, and can load it again", async () => {
    const service = new Service(4);
    let broken = true;
    const list = new CallList(async (cursor) => {
      if (broken) throw new Error("no network");
      return service.page(3, cursor);
    });
    list.takeTop(service.page(3));
    await list.loadMore();
    expect(list.state()).toMatchObject({ failed: true, loading: false, hasMore: true });
    broken = false;
    await list.loadMore();
    expect(list.state()).toMatchObject({ failed: false, hasMore: false });
    expect(list.state().calls).toHaveLength(4);
  });

  test("loads one page at a time", async () => {
    const service = new Service(9);
    let asked = 0;
    const list = new CallList(async (cursor) => {
      asked += 1;
      return service.page(3, cursor);
    });
    list.takeTop(service.page(3));
    await Promise.all([list.loadMore(), list.loadMore(), list.loadMore()]);
    expect(asked).toBe(1);
    expect(list.state().calls).toHaveLength(6);
  });
});
