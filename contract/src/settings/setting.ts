import type { z } from "zod";

/** A process that reads settings; `start` is `npm start`, `cli` the operator's commands. */
export type Program = "service" | "exchange" | "sandbox" | "start" | "cli";

/** One environment variable. */
export interface Setting {
  /** How a value is written. */
  readonly type: string;
  readonly schema: z.ZodType;
  /** What it means, in one sentence. */
  readonly says: string;
  /** Who reads the operator's value. */
  readonly readers: readonly Program[];
  /** Who reads a value that `npm start` decides, whatever the operator set. */
  readonly assigned?: readonly Program[];
  /** When absent: the value as it would be written, or what takes its place in words. */
  readonly default?: string;
  readonly unit?: string;
  readonly secret?: true;
  /** What production demands; `Required` when it does not start without. */
  readonly production?: string;
}
