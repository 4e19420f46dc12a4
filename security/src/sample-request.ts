import { randomUUID } from "node:crypto";
import { z } from "zod";

/** The part of JSON Schema that Zod's output uses. */
interface JsonSchema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly minimum?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
}

/** Fields whose form no schema describes. Valid values let a request get far enough for its other fields to do harm. */
const GOOD_TEXT: Readonly<Record<string, string>> = {
  amount: "10",
  threshold: "5",
  code: "123456",
  cursor: "",
  date: "2026-01-31",
  destination_number: "+442079460958",
  from: "2026-01-01",
  month: "2026-01",
  number: "+442079460958",
  phone_number: "+442079460958",
  to: "2026-12-31",
};

/** A request part as its fields, each with a value that its schema should accept; null if it is not an object. */
export function sampleFields(schema: unknown): Record<string, unknown> | null {
  if (!(schema instanceof z.ZodType)) return null;
  const json = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as JsonSchema;
  const value = sample(json, "");
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null;
}

function sample(schema: JsonSchema, name: string): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  const [inner] = schema.anyOf ?? schema.oneOf ?? [];
  if (inner !== undefined) return sample(inner, name);
  if (schema.allOf !== undefined) return Object.assign({}, ...schema.allOf.map((one) => sample(one, name)));
  switch (schema.type) {
    case "object":
      return Object.fromEntries(Object.entries(schema.properties ?? {}).map(([key, one]) => [key, sample(one, key)]));
    case "array":
      return schema.items === undefined ? [] : [sample(schema.items, name)];
    case "number":
    case "integer":
      return schema.minimum ?? 1;
    case "boolean":
      return true;
    default:
      return text(schema, name);
  }
}

function text({ format }: JsonSchema, name: string): string {
  if (format === "uuid" || name.endsWith("id")) return randomUUID();
  if (format === "email" || name === "email") return `${randomUUID()}@example.com`;
  return GOOD_TEXT[name] ?? (name.includes("password") ? "a long enough phrase 42" : "text");
}

/** The paths to all fields and list items of a value, at any depth. */
export function placesIn(value: unknown, at: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [at];
  const below = Object.entries(value).flatMap(([key, inner]) => placesIn(inner, [...at, key]));
  return at.length === 0 ? below : [at, ...below];
}

/** A copy of the value with the value at this path replaced. */
export function withValueAt(value: unknown, [key, ...rest]: readonly string[], put: unknown): unknown {
  if (key === undefined) return put;
  const copy: Record<string, unknown> | unknown[] = Array.isArray(value) ? [...value] : { ...(value as object) };
  Reflect.set(copy, key, withValueAt(Reflect.get(value as object, key), rest, put));
  return copy;
}
