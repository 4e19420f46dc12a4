import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "kysely";
import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import { newCustomer } from "../../../test/new-customer.ts";
import { insertPastCalls } from "../../../test/past-calls.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { createCallWorld, type CallWorld } from "../../../test/worlds/call-world.ts";
import { asOperator } from "../../../test/test-context.ts";
import { readCallForOperator } from "../operate/read-call-for-operator.ts";
import { ArchiveError, archiveEvents, restoreArchive } from "./archive-events.ts";
import { serviceEvent } from "./call-event.ts";

let world: CallWorld;
let folder: string;
beforeEach(async () => {
  folder = temporaryFolder("farline-archive-");
  world = await createCallWorld({ limitsScale: 0 });
  world.clock.advance(Date.parse("2026-11-15T10:00:00Z") - world.clock.now().getTime());
});
afterEach(async () => {
  await world.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A call with a version 7 UUID of that time, whose events are emptied, and which the tables hold nothing of else. */
async function pastCall(at: string, payload = "{}"): Promise<string> {
  const { db } = world.database.handle;
  const createdAt = new Date(at);
  const hex = createdAt.getTime().toString(16).padStart(12, "0");
  const id = `${hex.slice(0, 8)}-${hex.slice(8)}-7${randomUUID().slice(15)}`;
  await insertPastCalls(db, [{ id, customerId: (await newCustomer(world.database.handle)).id, createdAt }]);
  for (const [index, kind] of ["initiated", "answered", "hangup"].entries())
    await sql`insert into call_event values (${randomUUID()}, ${id}, 'provider', ${kind}, 'far',
      ${createdAt}::timestamptz + ${index} * interval '1.000123 s', ${createdAt}::timestamptz + ${index} * interval '1.5 s', ${payload})`.execute(
      db,
    );
  return id;
}

async function events(): Promise<unknown[]> {
  return (await sql`select *, occurred_at::text as exact from call_event order by id`.execute(world.database.handle.db)).rows;
}

const names = (months: readonly { month: string; events: number }[]) => months.map(({ month, events: n }) => `${month} ${n}`);

test("the events of months that are more than 13 months old go into a file each; younger ones, the calls and the books stay", async () => {
  const { db } = world.database.handle;
  const old = await pastCall("2025-08-31T23:59:59.999Z");
  await pastCall("2025-09-01T00:00:00Z");
  await pastCall("2025-09-30T23:59:59.999Z");
  const young = await pastCall("2025-10-01T00:00:00Z");
  const before = await events();
  expect(names(await archiveEvents(world.ctx, folder))).toEqual(["2025-08 3", "2025-09 6"]);
  expect((await events()).map((event) => (event as { call_id: string }).call_id)).toEqual([young, young, young]);
  expect(await archiveEvents(world.ctx, folder)).toEqual([]);
  expect((await sql`select from call`.execute(db)).rows).toHaveLength(4);

  const shown = await readCallForOperator(asOperator(world.ctx, "grace"), { call: old });
  expect(shown).toMatchObject({ ladder: [], events_archived_in: "call-events-2025-08.jsonl.gz" });
  const other = await readCallForOperator(asOperator(world.ctx, "grace"), { call: young });
  expect(other).toMatchObject({ events_archived_in: null });
  expect(other.ladder).toHaveLength(3);

  for (const month of ["2025-09", "2025-08"]) await restoreArchive(world.ctx, join(folder, `call-events-${month}.jsonl.gz`));
  expect(await events()).toEqual(before);
  expect(await readCallForOperator(asOperator(world.ctx, "grace"), { call: old })).toMatchObject({ events_archived_in: null });
});

test("a month is not archived while a number in it is not shortened or a call not over", async () => {
  await pastCall("2025-08-10T12:00:00Z", '{"to":"+442079460000"}');
  await expect(archiveEvents(world.ctx, folder)).rejects.toThrow("its number is not shortened yet");
  expect(await events()).toHaveLength(3);
});

test("a file that is damaged, missing or another's deletes and restores nothing", async () => {
  const { db } = world.database.handle;
  await pastCall("2025-08-10T12:00:00Z");
  const file = join(folder, "call-events-2025-08.jsonl.gz");
  writeFileSync(file, "somebody else's");
  await expect(archiveEvents(world.ctx, folder)).rejects.toThrow("move it away");
  rmSync(file);
  const before = await events();
  await archiveEvents(world.ctx, folder);
  const good = readFileSync(file);

  // As after a stop between the file and the deletion.
  await sql`insert into call_event select * from json_populate_recordset(null::call_event, ${JSON.stringify(before.slice(0, 1))}::json)`.execute(
    db,
  );
  writeFileSync(file, good.subarray(0, good.length - 9));
  await expect(archiveEvents(world.ctx, folder)).rejects.toThrow(ArchiveError);
  await expect(restoreArchive(world.ctx, file)).rejects.toThrow(ArchiveError);
  renameSync(file, join(folder, "other.jsonl.gz"));
  await expect(restoreArchive(world.ctx, join(folder, "other.jsonl.gz"))).rejects.toThrow(
    "not an archive that this database knows",
  );
  expect(await events()).toHaveLength(1);

  writeFileSync(file, good);
  expect(names(await archiveEvents(world.ctx, folder))).toEqual(["2025-08 3"]);
  expect(await events()).toEqual([]);
  await restoreArchive(world.ctx, file);
  expect(await events()).toEqual(before);
});

test("an event that came after its month's file was written is kept", async () => {
  const { db } = world.database.handle;
  const id = await pastCall("2025-08-10T12:00:00Z");
  await archiveEvents(world.ctx, folder);
  await sql`insert into call_event values ('late', ${id}, 'provider', 'cost', 'far', now(), now(), '{}')`.execute(db);
  await expect(archiveEvents(world.ctx, folder)).rejects.toThrow("and stay");
  const file = join(folder, "call-events-2025-08.jsonl.gz");
  await restoreArchive(world.ctx, file);
  rmSync(file);
  expect(names(await archiveEvents(world.ctx, folder))).toEqual(["2025-08 4"]);
});

test("an event of a call whose events may be archived changes nothing", async () => {
  const id = await pastCall("2025-08-10T12:00:00Z");
  await archiveEvents(world.ctx, folder);
  await world.ctx.appendEvent({ callId: id, event: serviceEvent(id, { kind: "limit_passed", at: new Date() }), identity: null });
  expect(await events()).toEqual([]);
});
