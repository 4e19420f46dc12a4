import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { TrunkState } from "./sip/trunk.ts";
import { createExchangeMetrics } from "./exchange-metrics.ts";

const UP: TrunkState = {
  ...{ name: "main", connected: null, registration: null, down: false, refusedWith: null, failing: false, leaving: false },
};

test("a trunk is up only if it is connected, registered, answers, and its carrier accepts us", async () => {
  const trunks = [
    UP,
    { ...UP, name: "by-tcp", connected: false },
    { ...UP, name: "unregistered", registration: "refused" as const },
    { ...UP, name: "silent", down: true },
    { ...UP, name: "refusing", refusedWith: 403 },
    { ...UP, name: "failing", failing: true },
  ];
  const figures = {
    ...{ calls: 3, maxCalls: 200, sockets: 5, webhooksWaiting: 2, trunks, journalWritten: false },
    certificates: [{ name: "SIP_TLS_CERT", endsAt: new Date(90_000_000) }],
    media: [
      { up: true, busy: 0.25, died_at: null },
      { up: false, busy: null, died_at: null },
    ],
  };
  const metrics = createExchangeMetrics(() => figures);
  const lines = (await metrics.write()).split("\n").filter((line) => line.startsWith("farline_"));
  expect(lines).toEqual([
    "farline_exchange_calls 3",
    "farline_exchange_max_calls 200",
    "farline_exchange_sockets 5",
    "farline_exchange_webhooks_waiting 2",
    'farline_exchange_trunk_up{trunk="main"} 1',
    ...["by-tcp", "unregistered", "silent", "refusing", "failing"].map((name) => `farline_exchange_trunk_up{trunk="${name}"} 0`),
    "farline_exchange_journal_written 0",
    'farline_exchange_media_up{process="0"} 1',
    'farline_exchange_media_up{process="1"} 0',
    'farline_exchange_certificate_expires_timestamp_seconds{certificate="SIP_TLS_CERT"} 90000',
    'farline_exchange_media_busy_ratio{process="0"} 0.25',
  ]);
  figures.trunks = [];
  expect(await metrics.write()).not.toContain("trunk_up{");
});

test("every metric of the exchange that an alert or the dashboard uses exists", async () => {
  const used = ["alerts.yml", "dashboard.json"].flatMap(
    (file) =>
      readFileSync(new URL(`../../deploy/monitoring/${file}`, import.meta.url), "utf8").match(/\bfarline_exchange_\w+/g) ?? [],
  );
  const figures = {
    calls: 0,
    maxCalls: 1,
    sockets: 0,
    webhooksWaiting: 0,
    journalWritten: true,
    trunks: [],
    media: [],
    certificates: [],
  };
  const written = await createExchangeMetrics(() => figures).write();
  expect(used).not.toEqual([]);
  expect(used.filter((name) => !written.includes(`# TYPE ${name} `))).toEqual([]);
});
