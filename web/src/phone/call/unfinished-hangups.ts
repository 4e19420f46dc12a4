import { readSetting, writeSetting } from "../../browser/storage.ts";
import { ServiceRefusal, type CallService } from "./call-service.ts";

const KEY = "farline-hangups";
const MAX_STORED = 8;

interface Unfinished {
  id: string;
}

/**
 * Calls that were hung up here while the service could not be reached. They outlive the page, so that a call ended offline is
 * never offered, or heard, again.
 */
export class UnfinishedHangups {
  readonly #service: Pick<CallService, "hangup">;
  #retrying = false;

  constructor(service: Pick<CallService, "hangup">) {
    this.#service = service;
  }

  add(callId: string): void {
    write([...read().filter(({ id }) => id !== callId), { id: callId }].slice(-MAX_STORED));
  }

  done(callId: string): void {
    write(read().filter(({ id }) => id !== callId));
  }

  has(callId: string): boolean {
    return read().some(({ id }) => id === callId);
  }

  /** Tells the service about each one, once. Those that fail stay. */
  async retry(): Promise<void> {
    if (this.#retrying) return;
    this.#retrying = true;
    try {
      for (const { id } of read()) {
        try {
          await this.#service.hangup(id);
          this.done(id);
        } catch (error) {
          // Another customer's call, or long over: a repeated request changes nothing.
          if (error instanceof ServiceRefusal && error.status === 404) this.done(id);
        }
      }
    } finally {
      this.#retrying = false;
    }
  }
}

function read(): Unfinished[] {
  try {
    const kept: unknown = JSON.parse(readSetting(KEY) ?? "[]");
    if (!Array.isArray(kept)) return [];
    return kept.filter(isUnfinished);
  } catch {
    // Not ours, or corrupt.
    return [];
  }
}

function isUnfinished(value: unknown): value is Unfinished {
  return typeof value === "object" && value !== null && "id" in value && typeof value.id === "string";
}

function write(list: readonly Unfinished[]): void {
  writeSetting(KEY, list.length === 0 ? null : JSON.stringify(list));
}
