import pg from "pg";

/** Works on a connection of its own. */
export async function withDatabase<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** The rows of a single statement. */
export function readRows<Row extends pg.QueryResultRow>(url: string, sql: string, values: unknown[] = []): Promise<Row[]> {
  return withDatabase(url, async (client) => (await client.query<Row>(sql, values)).rows);
}
