import { z } from "zod";

/** A code that no list has, as a provider or a newer release may send it. */
const RAW_CODE = "raw_code";
export const SAMPLE_ID = "0199bbbb-0000-7000-8000-0000000000aa";

/** What strings of each form are like; the first that a schema takes is used. */
const TEXTS = [
  "words",
  SAMPLE_ID,
  "2026-11-26T08:00:00.000Z",
  "2026-11-26",
  "2026-11",
  "12.3456",
  "GH",
  "USD",
  "https://farline.example/x",
];
/** Strings that hold a code although their schema names no list. */
const CODES = new Set(["kind", "code", "state", "status", "reason_code", "rule", "category", "failure", "waits_for", "tier"]);
/** Entries of a list: enough for the longest list of codes. */
const ENTRIES = 40;

/** For tests: an answer that a schema takes, with everything in it that may be there. @param turn which code of each list */
export function sampleAnswer(schema: z.ZodType, turn = 0, key = ""): unknown {
  if (schema instanceof z.ZodObject)
    return Object.fromEntries(
      Object.entries(schema.shape as Readonly<Record<string, z.ZodType>>).map(([name, part]) => [
        name,
        sampleAnswer(part, turn, name),
      ]),
    );
  if (schema instanceof z.ZodArray) {
    const entries = Array.from({ length: ENTRIES }, (_, index) => sampleAnswer(schema.element as z.ZodType, index, key));
    return schema.safeParse(entries).success ? entries : entries.slice(0, 1);
  }
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional || schema instanceof z.ZodDefault)
    return sampleAnswer(schema.def.innerType as z.ZodType, turn, key);
  if (schema instanceof z.ZodEnum) return schema.options[turn % schema.options.length];
  if (schema instanceof z.ZodUnion) {
    const options = schema.def.options as readonly z.ZodType[];
    return sampleAnswer(options[turn % options.length] ?? z.never(), turn, key);
  }
  if (schema instanceof z.ZodRecord) {
    const [keyType, valueType] = [schema.keyType as z.ZodType, schema.valueType as z.ZodType];
    const keys = keyType instanceof z.ZodEnum ? (keyType.options as string[]) : ["words"];
    return Object.fromEntries(keys.map((name) => [name, sampleAnswer(valueType, turn, name)]));
  }
  if (schema instanceof z.ZodLiteral) return [...schema.values][0];
  const texts = CODES.has(key) ? [RAW_CODE, ...TEXTS] : TEXTS;
  const found = [...texts, turn + 1, 1, true, null].find((value) => schema.safeParse(value).success);
  if (found === undefined) throw new Error(`There is no sample of ${key}.`);
  return found;
}
