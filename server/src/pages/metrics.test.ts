import pino from "pino";
import { expect, test, vi } from "vitest";
import { createTestApp } from "../../test/create-test-app.ts";
import type { Metric } from "../platform/metric.ts";
import { ManualClock } from "../../test/manual-clock.ts";
import { createMonitoring } from "./metrics.ts";

const NOW = new Date("2026-11-26T19:08:00.000Z");

const METRICS: readonly Metric[] = [
  {
    name: "farline_differences",
    help: "What does not fit",
    read: async () => 2,
    runbook: "person-needed",
    level: "ticket",
    warning: (value) => (value === 0 ? null : `${value} things do not fit.`),
  },
  {
    name: "farline_seats",
    help: "Seats of each room",
    label: "room",
    read: async () => new Map([["hall", 40]]),
    runbook: "person-needed",
    level: "page",
    onlyIfEverywhere: true,
    warning: (value, word) => (value < 41 ? null : `${word} is full.`),
  },
  {
    name: "farline_unreadable",
    help: "Cannot be read",
    read: () => Promise.reject(new Error("The database is away.")),
    runbook: "person-needed",
    level: "ticket",
    warning: () => "never",
  },
];

test("metrics have a value for each word of their label and say whether they warn; one that cannot be read hides no other", async () => {
  const clock = new ManualClock(NOW);
  const app = createTestApp({ log: pino({ level: "silent" }), trustedProxies: 0, guards: {} });
  const monitoring = createMonitoring(app, clock, METRICS);
  await app.inject({ url: "/api/nothing" });
  const text = await monitoring.write();
  const warning = (metric: string, labels: string) => `farline_warning{metric="${metric}",${labels}}`;
  expect(text).toContain("farline_differences 2");
  expect(text).toContain('farline_seats{room="hall"} 40');
  expect(text).toContain(`${warning("farline_differences", 'word="",level="ticket",runbook="person-needed",instances="any"')} 1`);
  expect(text).toContain(`${warning("farline_seats", 'word="hall",level="page",runbook="person-needed",instances="every"')} 0`);
  expect(text).not.toMatch(/^farline_unreadable \d|metric="farline_unreadable"/m);
  expect(text).toMatch(/^farline_http_request_duration_seconds_count\{route="[^"]+",method="GET",status="4xx"\} 1$/m);
  expect(await monitoring.troubles()).toEqual([
    {
      ...{ id: "farline_differences", level: "ticket", since: NOW.toISOString(), size: 2, detail: null },
      ...{ text: "2 things do not fit.", runbook: "person-needed" },
    },
  ]);
  await app.close();
});

test("troubles keep the time since when, come with the urgent ones first, and stay while they cannot be read", async () => {
  const clock = new ManualClock(NOW);
  const values: Record<string, number | null> = { a: 1, b: 0 };
  const metricOf = (name: string, level: "page" | "ticket"): Metric => ({
    name,
    help: name,
    inMemory: true,
    runbook: "person-needed",
    level,
    read: async () => values[name] ?? Promise.reject(new Error("away")),
    warning: (value) => (value === 0 ? null : { text: `${value} of ${name}`, detail: "more" }),
  });
  const app = createTestApp({ log: pino({ level: "silent" }), trustedProxies: 0, guards: {} });
  const monitoring = createMonitoring(app, clock, [metricOf("a", "ticket"), metricOf("b", "page")]);
  const now = async () => (await monitoring.troubles()).map(({ id, since, text }) => [id, since, text]);
  const [first, later] = [NOW.toISOString(), new Date(NOW.getTime() + 60_000).toISOString()];
  expect(await now()).toEqual([["a", first, "1 of a"]]);
  clock.advance(60_000);
  Object.assign(values, { a: 2, b: 3 });
  expect(await now()).toEqual([
    ["b", later, "3 of b"],
    ["a", first, "2 of a"],
  ]);
  Object.assign(values, { a: null, b: 0 });
  expect(await now()).toEqual([["a", first, "2 of a"]]);
  expect(await monitoring.write()).toContain(
    'farline_warning{metric="a",word="",level="ticket",runbook="person-needed",instances="any"} 1',
  );
  values["a"] = 0;
  expect(await now()).toEqual([]);
  values["a"] = 1;
  expect(await now()).toEqual([["a", later, "1 of a"]]);
  await app.close();
});

test("requests that fail or take long are a trouble, from twenty of them on; probes do not count", async () => {
  const app = createTestApp({ log: pino({ level: "silent" }), trustedProxies: 0, guards: {} });
  const monitoring = createMonitoring(app, new ManualClock(NOW), []);
  const config = { access: "visitor" } as const;
  app.get("/api/health", { config }, async () => ({}));
  app.get("/good", { config }, async () => ({}));
  app.get("/bad", { config }, async () => Promise.reject(new Error("broken")));
  const request = async (url: string, times: number) => {
    for (let count = 0; count < times; count += 1) await app.inject({ url });
  };
  await request("/bad", 2);
  await request("/api/health", 30);
  expect(await monitoring.troubles()).toEqual([]);
  await request("/good", 18);
  expect(await monitoring.troubles()).toMatchObject([
    { id: "farline_requests_failed_percent", size: 10, text: "10 % of the latest requests failed with a 5xx.", level: "page" },
  ]);
  await request("/good", 20);
  expect(await monitoring.troubles()).toEqual([]);
  await app.close();
});

test("a reading that hangs hides no other, is not begun again, and its trouble stays", async () => {
  let begun = 0;
  let hangs = false;
  const hanging: Metric = {
    name: "farline_hanging",
    help: "Hangs",
    inMemory: true,
    runbook: "person-needed",
    level: "page",
    read: () => {
      begun += 1;
      return hangs ? new Promise(() => undefined) : Promise.resolve(1);
    },
    warning: () => "It is wrong.",
  };
  const app = createTestApp({ log: pino({ level: "silent" }), trustedProxies: 0, guards: {} });
  const monitoring = createMonitoring(app, new ManualClock(NOW), [hanging, METRICS[0] as Metric]);
  const ids = async () => (await monitoring.troubles()).map(({ id }) => id);
  expect(await ids()).toEqual(["farline_hanging", "farline_differences"]);
  hangs = true;
  vi.useFakeTimers();
  try {
    const [first, second] = [ids(), ids()];
    await vi.advanceTimersByTimeAsync(3_000);
    expect(await Promise.all([first, second])).toEqual([
      ["farline_hanging", "farline_differences"],
      ["farline_hanging", "farline_differences"],
    ]);
  } finally {
    vi.useRealTimers();
  }
  expect(begun).toBe(2);
  await app.close();
});
