import type { Tx } from "../../database.ts";

/** Null if it was never stored. */
export async function readSetting(tx: Tx, name: string): Promise<unknown> {
  const { rows } = await tx.query<{ value: unknown }>("select value from sandbox_stripe.setting where name = $1", [name]);
  return rows[0]?.value ?? null;
}

export async function storeSetting(tx: Tx, name: string, value: unknown): Promise<void> {
  await tx.query(
    "insert into sandbox_stripe.setting (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value",
    [name, JSON.stringify(value)],
  );
}
