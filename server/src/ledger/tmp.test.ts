import { test } from "vitest";
import { testDatabase } from "../platform/test-database.ts";
import { ledger, verifyLedger } from "./ledger.ts";
import { newCustomer } from "../../test/new-customer.ts";
import pg from "pg";
test("big", async () => {
  const d = await testDatabase();
  const { pool } = d.handle;
  const heavy = await newCustomer(d.handle); 
  const c = new pg.Client({ connectionString: d.url }); await c.connect();
  await c.query("set session_replication_role = replica");
  await c.query("create temp table cust as select ('00000000-0000-7000-8000-'||lpad(i::text,12,'0'))::uuid as id, i from generate_series(1,20000) i");
  await c.query("insert into customer (id,name,email,email_key,created_at) select id,'x','a@b.c','a'||i,now() from cust");
  const t0 = performance.now();
  // 4M light + 1M heavy transactions = 10M entries
  await c.query(`insert into account (customer_id,balance_micros,entry_count) select id,200,200 from cust`);
  await c.query(`insert into ledger_transaction select ('10000000-0000-7000-8000-'||lpad(((i-1)*200+s)::text,12,'0'))::uuid,'top_up','k'||i||':'||s,id,null,'Top-up by card',0,now() from generate_series(1,200) s, cust`);
  await c.query(`insert into ledger_entry select ('10000000-0000-7000-8000-'||lpad(((i-1)*200+s)::text,12,'0'))::uuid,id,null::text,1,s,s from generate_series(1,200) s, cust`);
  await c.query(`insert into ledger_entry select ('10000000-0000-7000-8000-'||lpad(((i-1)*200+s)::text,12,'0'))::uuid,null,'payment_clearing',-1,null,null from generate_series(1,200) s, cust`);
  await c.query(`insert into ledger_transaction select ('20000000-0000-7000-8000-'||lpad(s::text,12,'0'))::uuid,'top_up','h'||s,'${heavy.id}',null,'Top-up by card',0,now() from generate_series(1,1000000) s`);
  await c.query(`insert into ledger_entry select ('20000000-0000-7000-8000-'||lpad(s::text,12,'0'))::uuid,'${heavy.id}',null::text,1,s,s from generate_series(1,1000000) s`);
  await c.query(`insert into ledger_entry select ('20000000-0000-7000-8000-'||lpad(s::text,12,'0'))::uuid,null,'payment_clearing',-1,null,null from generate_series(1,1000000) s`);
  await c.query(`update account set balance_micros=1000000, entry_count=1000000 where customer_id='${heavy.id}'`);
  await c.query("analyze");
  console.log("filled", performance.now() - t0);
  const light = '00000000-0000-7000-8000-000000010000';
  for (const id of [heavy.id, light, heavy.id, light]) {
    let s = performance.now(); await ledger.balance(pool, id); console.log("balance", performance.now() - s);
    s = performance.now(); const p = await ledger.transactions(pool, id, { limit: 25 }); console.log("page", performance.now() - s, p.total, p.nextCursor);
    s = performance.now(); await ledger.transactions(pool, id, { limit: 100, cursor: "100" }); console.log("deep page", performance.now() - s);
    s = performance.now(); for (let i = 0; i < 200; i++) await ledger.transactions(pool, id, { limit: 25 }); console.log("page x200 avg", (performance.now() - s)/200);
    s = performance.now(); for (let i = 0; i < 200; i++) await ledger.credit(pool, { key: "z"+id+i, customerId: id, kind: "top_up", amountMicros: 5n, referenceId: null, description: "x" }); console.log("credit avg", (performance.now() - s)/200);
  }
  const s = performance.now(); console.log((await verifyLedger(d.handle.db)).length, "verify", performance.now() - s);
  await c.end(); await d.close();
}, 600_000);
