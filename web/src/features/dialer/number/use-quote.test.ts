import type { Quote } from "@farline/contract/rates.ts";
import { QueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { queryClient } from "../../../service/query-client.ts";
import { quoteQuery } from "../dialer-queries.ts";
import { quotedRate, type ShownRate } from "./use-quote.ts";

const ghana: Quote = {
  number: "+233200000142",
  country_code: "GH",
  country_name: "Ghana",
  number_type: "mobile",
  prefix: "23320",
  description: "Ghana mobile",
  rate_per_minute: "0.1420",
  first_interval_s: 1,
  next_interval_s: 1,
  connected: true,
  longest_call_s: 7200,
  deck_id: "0197a000-0000-7000-8000-000000000001",
  deck_effective_at: "2026-05-18T00:00:00.000Z",
};

/** How the service answers the look-up of each number. */
const answers = new Map<string, () => Promise<Response>>();
const priced = () => Promise.resolve(Response.json({ rate: { ...ghana, exact: true } }));

/** What the page shows for `wanted`, of which `settled` is what was typed when it last rested. */
class Badge {
  readonly #observer = new QueryObserver(queryClient, quoteQuery("", "GH"));
  readonly stop = this.#observer.subscribe(() => undefined);
  #settled = "";

  settle(number: string): void {
    this.#settled = number;
    this.#observer.setOptions(quoteQuery(number, "GH"));
  }
  shows(wanted = this.#settled): ShownRate | null {
    return quotedRate(this.#observer.getCurrentResult(), wanted, this.#settled);
  }
}

let badge: Badge;
beforeEach(() => {
  vi.stubGlobal("fetch", (_: string, { body }: { body: string }) => {
    const { phone_number: number } = JSON.parse(body) as { phone_number: string };
    return answers.get(number)?.() ?? new Promise(() => undefined);
  });
  badge = new Badge();
});
afterEach(() => {
  badge.stop();
  queryClient.clear();
  answers.clear();
  vi.unstubAllGlobals();
});

it("is exact for the number looked up, not for a longer one, which may be more expensive", async () => {
  answers.set("+233200000142", priced);
  badge.settle("+233200000142");
  await expect.poll(() => badge.shows()).toMatchObject({ ratePerMinute: "0.1420", exact: true });
  expect(badge.shows("+2332000001429")).toMatchObject({ ratePerMinute: "0.1420", exact: false });
  badge.settle("+2332000001429");
  expect(badge.shows()).toMatchObject({ ratePerMinute: "0.1420", exact: false });
  expect(badge.shows("+44207")).toBeNull();
});

it("is removed when the look-up of the next number fails", async () => {
  answers.set("+233200000142", priced);
  answers.set("+233200000143", () => Promise.resolve(new Response("{}", { status: 503 })));
  badge.settle("+233200000142");
  await expect.poll(() => badge.shows()).not.toBeNull();
  badge.settle("+233200000143");
  await expect.poll(() => badge.shows()).toBeNull();
});

it("is removed when it cannot be refreshed", async () => {
  answers.set("+233200000142", priced);
  badge.settle("+233200000142");
  await expect.poll(() => badge.shows()).not.toBeNull();
  answers.set("+233200000142", () => Promise.resolve(new Response("{}", { status: 503 })));
  await queryClient.invalidateQueries();
  expect(badge.shows()).toBeNull();
});
