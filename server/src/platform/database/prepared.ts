import { CompiledQuery } from "kysely";
import type { Tx } from "./database.ts";
import { nameStatement } from "./preparing-pool.ts";

/**
 * Calls an SQL function that returns one value, as a prepared statement.
 * @param values by parameter: `holdId` is the function's `p_hold_id`. All calls of a function must pass the same keys in the same order.
 */
export async function callFunction<Value>(tx: Tx, name: string, values: Readonly<Record<string, unknown>>): Promise<Value> {
  const { text, parameters } = callOf(name, values);
  const [row] = await runPrepared<{ value: Value }>(tx, name, CompiledQuery.raw(`select ${text} as value`, parameters));
  return (row as { value: Value }).value;
}

/** `callFunction` for a function that returns rows. */
export async function readFunction<Row>(tx: Tx, name: string, values: Readonly<Record<string, unknown>>): Promise<Row[]> {
  const { text, parameters } = callOf(name, values);
  return runPrepared(tx, name, CompiledQuery.raw(`select * from ${text}`, parameters));
}

/**
 * Runs a query as a prepared statement: PostgreSQL parses it once per connection. For very frequent queries.
 * @param query must always have the same text
 */
export function executePrepared<Row>(tx: Tx, name: string, query: { compile(tx: Tx): CompiledQuery<Row> }): Promise<Row[]> {
  return runPrepared(tx, name, query.compile(tx));
}

async function runPrepared<Row>(tx: Tx, name: string, query: CompiledQuery<Row>): Promise<Row[]> {
  nameStatement(query.sql, name);
  return (await tx.executeQuery(query)).rows;
}

function callOf(name: string, values: Readonly<Record<string, unknown>>): { text: string; parameters: unknown[] } {
  const places = Object.keys(values).map((key, index) => `${parameterName(key)} => $${index + 1}`);
  return { text: `${name}(${places.join(", ")})`, parameters: Object.values(values) };
}

function parameterName(key: string): string {
  return `p_${key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`;
}
