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
