import type operator from "./en/operator.json";
import type service from "./en/service.json";

/** Names a text that the service says: a key of `service.json`, which every language has. Operators read `operator.json`, in English. */
export type Reason = Exclude<keyof typeof service, "wait"> | `operator.${keyof typeof operator}`;

/** With this parameter a text also says when to try again. */
export const WAIT_SECONDS = "wait_seconds";

/** What is filled in for `{{name}}` in a text. */
export type Params = Readonly<Record<string, string | number>>;

/** A text to show: its name and what is filled in. */
export interface MessageRef {
  readonly reason: Reason;
  readonly params?: Params | undefined;
}

/** Writes a reason as the message of a schema, whose errors are plain texts. `readReason` reads it. */
export function reason(name: Reason, params?: Params): string {
  return params === undefined ? name : `${name} ${JSON.stringify(params)}`;
}

const WRITTEN = /^([a-z_.]+)(?: (\{.*\}))?$/;

/** Reads what `reason` wrote. Null for a schema's own words, such as "Invalid input". */
export function readReason(message: string): MessageRef | null {
  const [, name, params] = WRITTEN.exec(message) ?? [];
  if (name === undefined) return null;
  return { reason: name as Reason, params: params === undefined ? undefined : (JSON.parse(params) as Params) };
}
