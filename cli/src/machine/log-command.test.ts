import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@farline/server/test/temporary-folder.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { KeptLog, keptLogs } from "../start/log-line.ts";
import { readCallLog } from "./log-command.ts";

let folder: string;
beforeEach(() => {
  folder = temporaryFolder("farline-log-");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const line = (second: number, fields: Record<string, string>) =>
  JSON.stringify({ level: 30, time: `2026-03-01T10:20:${String(second).padStart(2, "0")}.000Z`, ...fields });

test("prints a call's lines of both programs by time, and those from before its id was known", async () => {
  const service = join(folder, "service.log");
  const exchange = join(folder, "exchange.log");
  writeFileSync(
    service,
    [
      line(1, { service: "service", call: "c1", request_id: "r1", msg: "request" }),
      line(3, { service: "service", call: "c1", session: "s1", request_id: "r2", msg: "call dialled" }),
      line(9, { service: "service", call: "c1", session: "s1", request_id: "r4", msg: "call settled" }),
      line(4, { service: "service", call: "c2", session: "s2", request_id: "r3", msg: "call dialled" }),
      "not JSON",
    ].join("\n"),
  );
  writeFileSync(
    exchange,
    [
      line(2, { service: "exchange", session: "s1", msg: "parked" }),
      line(4, { service: "exchange", request_id: "r2", msg: "request" }),
      line(5, { service: "exchange", session: "s2", msg: "parked" }),
    ].join("\n"),
  );
  const expected = ["request", "parked", "call dialled", "request", "call settled"];
  for (const id of ["c1", "s1"]) expect((await readCallLog([service, exchange], id)).map(({ msg }) => msg)).toEqual(expected);
  expect(await readCallLog([service, exchange], "c3")).toEqual([]);
});

test("npm start keeps its lines in two files of a bounded size, and goes on when it cannot", async () => {
  const log = new KeptLog(folder, 1_000);
  for (let second = 0; second < 40; second += 1) log.add("service", line(second, { call: "c1", msg: `line ${second}` }));
  log.add("sandbox", "not JSON");
  const kept = await readCallLog(keptLogs(folder), "c1");
  expect(kept.at(-1)?.msg).toBe("line 39");
  expect(kept.length).toBeGreaterThan(10);
  expect(kept.length).toBeLessThan(25);
  rmSync(folder, { recursive: true });
  expect(() => log.add("service", "a line")).not.toThrow();
});
