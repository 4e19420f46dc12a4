import type { ClientBase } from "pg";

/** Rows that belong to the schema: applied versions, and the data that migrations insert. */
const ROWS = [
  { table: "schema_version", columns: "version, name, md5", order: "version" },
  { table: "schema_function", columns: "signature, checksum, release", order: "signature" },
  { table: "credit_package", columns: "id, amount_micros, bonus_percentage, is_popular, on_sale", order: "amount_micros" },
];

const TYPES = `select format('create type %s as enum (%s);', t.oid::regtype,
    (select string_agg(quote_literal(enumlabel), ', ' order by enumsortorder) from pg_enum where enumtypid = t.oid)) as sql
  from pg_type t where t.typtype = 'e' and t.typnamespace = current_schema()::regnamespace order by t.typname`;

/** Rows that functions pass to each other, which no table holds. */
const ROW_TYPES = `select format(E'create type %s as (\\n%s\\n);', c.oid::regclass, (
      select string_agg(format('  %I %s', attname, format_type(atttypid, atttypmod)), E',\\n' order by attnum)
        from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped
    )) as sql
  from pg_class c where c.relkind = 'c' and c.relnamespace = current_schema()::regnamespace order by c.relname`;

const FUNCTIONS = {
  /** Their bodies stand in `server/src/<subject>/sql`. */
  signatures: sqlOfFunctions(
    "format('-- function %s(%s) returns %s', proname, pg_get_function_arguments(oid), pg_get_function_result(oid))",
  ),
  bodies: sqlOfFunctions("pg_get_functiondef(oid) || ';'"),
};

function sqlOfFunctions(shown: string): string {
  return `select ${shown} as sql from pg_proc
    where pronamespace = current_schema()::regnamespace order by proname, oid::regprocedure::text`;
}

const TABLES = `select format(E'create table %s (\\n%s\\n)%s;', c.oid::regclass, (
      select string_agg(format('  %I %s%s%s%s', a.attname, format_type(a.atttypid, a.atttypmod),
          case when a.attcollation <> y.typcollation then ' collate ' || a.attcollation::regcollation else '' end,
          case when a.attgenerated = 's' then format(' generated always as (%s) stored', pg_get_expr(d.adbin, d.adrelid))
            when d.adbin is not null then ' default ' || pg_get_expr(d.adbin, d.adrelid) else '' end,
          case when a.attnotnull then ' not null' else '' end), E',\\n' order by a.attnum)
        from pg_attribute a join pg_type y on y.oid = a.atttypid
        left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    ), coalesce(' with (' || array_to_string(c.reloptions, ', ') || ')', '')) as sql
  from pg_class c where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace order by c.relname`;

/** Keys precede foreign keys; not-null constraints are part of the table. */
const CONSTRAINTS = `select format('alter table %s add constraint %I %s;', conrelid::regclass, conname, pg_get_constraintdef(oid)) as sql
  from pg_constraint where connamespace = current_schema()::regnamespace and contype in ('p', 'u', 'c', 'f')
  order by contype = 'f', conrelid::regclass::text, conname`;

const INDEXES = `select pg_get_indexdef(i.indexrelid, 0, true) || ';' as sql
  from pg_index i join pg_class c on c.oid = i.indexrelid
  where c.relnamespace = current_schema()::regnamespace
    and not exists (select from pg_constraint where conindid = i.indexrelid and contype in ('p', 'u'))
  order by i.indrelid::regclass::text, c.relname`;

const TRIGGERS = `select pg_get_triggerdef(t.oid, true) || ';' as sql
  from pg_trigger t join pg_class c on c.oid = t.tgrelid
  where not t.tgisinternal and c.relnamespace = current_schema()::regnamespace order by c.relname, t.tgname`;

/** Dumps a database's schema as SQL, in an order that depends only on names. With the functions' bodies it recreates the database. */
export async function dumpSchema(client: ClientBase, functions: keyof typeof FUNCTIONS): Promise<string> {
  const parts = functions === "bodies" ? ["set check_function_bodies = off;"] : [];
  for (const query of [TYPES, TABLES, ROW_TYPES]) parts.push(await statements(query, "\n\n"));
  parts.push(await statements(FUNCTIONS[functions], functions === "bodies" ? "\n\n" : "\n"));
  for (const query of [CONSTRAINTS, INDEXES, TRIGGERS]) parts.push(await statements(query, "\n"));
  for (const { table, columns, order } of ROWS) {
    const query = `select format('insert into ${table} (${columns}) values (%s);', (
        select string_agg(coalesce(quote_literal(value), 'null'), ', ' order by position)
          from json_each_text(row_to_json(r)) with ordinality as cell (key, value, position))) as sql
      from (select ${columns} from ${table} order by ${order}) r`;
    parts.push(await statements(query, "\n"));
  }
  return `${parts.join("\n\n")}\n`;

  async function statements(query: string, separator: string): Promise<string> {
    const { rows } = await client.query<{ sql: string }>(query);
    return rows.map((row) => row.sql).join(separator);
  }
}
