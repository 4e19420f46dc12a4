import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OperatorRole } from "@farline/contract/operator/rights.ts";
import type { Operator } from "../src/context.ts";
import { hashToken, newToken } from "../src/platform/sealed-value.ts";

/** The operators in every test database. They have no password and no passkey. */
const PEOPLE: Readonly<Record<string, { readonly id: string; readonly role: OperatorRole }>> = {
  grace: { id: "0199bbbb-0000-7000-8000-000000000001", role: "admin" },
  ana: { id: "0199bbbb-0000-7000-8000-000000000002", role: "admin" },
  ada: { id: "0199bbbb-0000-7000-8000-000000000005", role: "admin" },
  bob: { id: "0199bbbb-0000-7000-8000-000000000003", role: "finance" },
  eve: { id: "0199bbbb-0000-7000-8000-000000000004", role: "support" },
};

/** Inserts them. */
export const OPERATORS_SQL = `insert into operator (id, email, name, role, created_at, trusted_from) values ${Object.entries(
  PEOPLE,
)
  .map(([name, { id, role }]) => `('${id}', '${name}@farline.example', '${name}', '${role}', now(), '2020-01-01')`)
  .join(", ")} on conflict do nothing`;

type Query = (sql: string, values?: unknown[]) => Promise<unknown>;

/** Makes them all operators again, without sign-ins, and removes everybody else. Nobody could sign in, which the database refuses otherwise. */
export async function resetOperators(query: Query): Promise<void> {
  const roles = Object.entries(PEOPLE).map(([name, { role }]) => `when '${name}' then '${role}'`);
  await query(`begin; set local session_replication_role = replica;
    delete from operator_password; delete from operator_passkey; delete from operator_invitation; delete from operator_session;
    update operator set removed_at = now() where email not like '%@farline.example' and removed_at is null;
    update operator set removed_at = null, trusted_from = '2020-01-01', role = case name ${roles.join(" ")} end
      where email like '%@farline.example';
    commit`);
}

/** One of them, as the actor of a context. */
export function testOperator(name: string): Operator {
  const person = PEOPLE[name];
  if (person === undefined) throw new Error(`No test operator is called ${name}.`);
  return { kind: "operator", name, ...person, right: "own-access", session: null };
}

/** Starts a session of one of them, in which they have just proved who they are. @returns its token */
export async function operatorToken(
  query: Query,
  name: string,
  { kind = "console", at = new Date() }: { kind?: "console" | "command_line"; at?: Date } = {},
): Promise<string> {
  const token = newToken("fo_");
  await query(
    `insert into operator_session (id, operator_id, token_hash, kind, device, network, created_at, proved_at, last_seen_at, expires_at)
     values ($1, $2, $3, $4, 'A test', '', $5, $5, $5, $5::timestamptz + interval '8 hours')`,
    [randomUUID(), testOperator(name).id, hashToken(token), kind, at],
  );
  return token;
}

/** A home folder in which one of them is signed in on the command line, for the variable HOME of a command. The caller removes it. */
export async function operatorHome(query: Query, name: string, publicUrl = "http://localhost:3000"): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), "farline-operator-"));
  mkdirSync(join(home, ".farline"));
  const file = `${new URL(publicUrl).host.replace(":", "-")}.token`;
  writeFileSync(join(home, ".farline", file), await operatorToken(query, name, { kind: "command_line" }));
  return home;
}
