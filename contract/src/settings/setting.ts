import type { z } from "zod";

/** A process that reads settings; `start` is `npm start`, `cli` the operator's commands. */
export type Program = "service" | "exchange" | "sandbox" | "start" | "cli";

/** One environment variable. */
export interface Setting {
  /** How a value is written. */
  readonly type: string;
  readonly schema: z.ZodType;
  /** One sentence. */
  readonly description: string;
  /** Programs that read the operator's value. */
  readonly readers: readonly Program[];
  /** Programs that read a value assigned by `npm start`, which overrides the operator's. */
  readonly assigned?: readonly Program[];
  /** The default as written in the environment, or a description of it. */
  readonly default?: string;
  readonly unit?: string;
  readonly secret?: true;
  /** Requirement in production; `Required` if production does not start without it. */
  readonly production?: string;
}

/** Environment variables by name; an empty one counts as absent. */
export type Env = Readonly<Record<string, string | undefined>>;

/** A setting with several values. The first is used; the others are only accepted, so that a key can be replaced while programs run. */
export type KeyList<Key> = readonly [Key, ...Key[]];

/** Reads values with commas between them. @param parse of one value; its errors pass through */
export function readKeyList<Key>(text: string, parse: (value: string) => Key): KeyList<Key> {
  const [first = "", ...others] = text.split(",").map((value) => value.trim());
  return [parse(first), ...others.map(parse)];
}
