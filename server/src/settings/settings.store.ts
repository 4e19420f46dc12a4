import { sql, type Selectable } from "kysely";
import type { Tx } from "../platform/database/database.ts";
import type { SettingTables } from "./settings.tables.ts";

export type SettingValue = Selectable<SettingTables["setting"]>;

/** An arbitrary lock id that serialises changes of settings. */
const SETTING_LOCK = 8_315_200_414;
const MAX_HISTORY = 100;

/** Prevents other operators from changing settings until the transaction ends. */
export async function lockSettings(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(${SETTING_LOCK})`.execute(tx);
}

/** The values of all settings that apply at a time or later, the latest first. */
export async function readValues(db: Tx, at: Date): Promise<SettingValue[]> {
  const { rows } = await sql<SettingValue>`
    select * from setting one
    where valid_from >= coalesce((select max(valid_from) from setting other where other.name = one.name and valid_from <= ${at}), ${at})
    order by name, valid_from desc, created_at desc, id desc`.execute(db);
  return rows;
}

/** The newest 100 values of a setting, the latest first, and how many there are. */
export async function readHistory(db: Tx, name: string): Promise<{ values: SettingValue[]; total: number }> {
  const of = db.selectFrom("setting").where("name", "=", name);
  const values = await of
    .selectAll()
    .orderBy("valid_from", "desc")
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(MAX_HISTORY)
    .execute();
  const { total } = await of.select(({ fn }) => fn.countAll<bigint>().as("total")).executeTakeFirstOrThrow();
  return { values, total: Number(total) };
}

export async function insertValue(tx: Tx, value: SettingValue): Promise<void> {
  await tx.insertInto("setting").values(value).execute();
}
