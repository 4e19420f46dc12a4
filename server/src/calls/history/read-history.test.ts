import { sql } from "kysely";
import type { Call, HistoryResponse } from "@farline/contract/calls.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addContact } from "../../../test/add-contact.ts";
import { createCallWorld, LONDON, type CallWorld } from "../../../test/worlds/call-world.ts";

const DUBLIN = "+35312345678";

let world: CallWorld;
beforeAll(async () => {
  world = await createCallWorld({ limitsScale: 0 });
});
afterAll(() => world.close());

test("a call has its own customer's current contact name, in the list and on its own", async () => {
  const [customer, other] = [await world.customer(), await world.customer()];
  const contact = await addContact(world.database.handle, customer.id, {
    firstName: "Ann",
    lastName: "Fletcher",
    number: LONDON,
  });
  await addContact(world.database.handle, other.id, { firstName: "Secret", number: DUBLIN });
  const calls: Call[] = [];
  for (const number of [LONDON, DUBLIN]) {
    const { call } = await world.initiate(customer, number);
    await world.request(customer, { method: "POST", path: `/api/calls/${call.id}/hangup` });
    calls.push(call);
  }
  const history = async (query = "") =>
    (await world.request<HistoryResponse>(customer, { path: `/api/calls/history${query}` })).body.calls.data.map(
      ({ destination_number, contact_name }) => [destination_number, contact_name],
    );
  expect(await history()).toEqual(
    expect.arrayContaining([
      [LONDON, "Ann Fletcher"],
      [DUBLIN, null],
    ]),
  );
  expect(await history(`?contact=${contact}`)).toEqual([[LONDON, "Ann Fletcher"]]);
  expect(await history("?search=fletch")).toEqual([[LONDON, "Ann Fletcher"]]);
  expect((await world.readCall(customer, calls[0]?.id ?? "")).contact_name).toBe("Ann Fletcher");
  await sql`delete from contact where id = ${contact}`.execute(world.database.handle.db);
  expect((await world.readCall(customer, calls[0]?.id ?? "")).contact_name).toBeNull();
});
