import pino from "pino";
import { expect, test } from "vitest";
import { createTestApp } from "../../test/create-test-app.ts";
import type { Metric } from "../platform/metric.ts";
import { createMonitoring } from "./metrics.ts";

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
  const app = createTestApp({ log: pino({ level: "silent" }), trustedProxies: 0, guards: {} });
  const monitoring = createMonitoring(app, METRICS);
  await app.inject({ url: "/api/nothing" });
  const text = await monitoring.write();
  const warning = (metric: string, labels: string) => `farline_warning{metric="${metric}",${labels}}`;
  expect(text).toContain("farline_differences 2");
  expect(text).toContain('farline_seats{room="hall"} 40');
  expect(text).toContain(`${warning("farline_differences", 'level="ticket",runbook="person-needed",instances="any",word=""')} 1`);
  expect(text).toContain(`${warning("farline_seats", 'level="page",runbook="person-needed",instances="every",word="hall"')} 0`);
  expect(text).not.toMatch(/^farline_unreadable \d|metric="farline_unreadable"/m);
  expect(text).toMatch(/^farline_http_request_duration_seconds_count\{route="[^"]+",method="GET",status="4xx"\} 1$/m);
  expect(await monitoring.warnings()).toEqual([{ text: "2 things do not fit.", runbook: "person-needed" }]);
  await app.close();
});
