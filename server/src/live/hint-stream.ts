import type { LiveHint } from "@farline/contract/events.ts";
import type { OperatorHint } from "@farline/contract/operator/live-calls.ts";
import { Readable } from "node:stream";

/** Unread bytes after which a page has stopped reading. */
const MAX_BUFFERED_BYTES = 32 * 1024;

/** Hints as server-sent events (WHATWG HTML §9.2). A reader that does not keep up is disconnected. */
export class HintStream extends Readable {
  constructor() {
    super({ highWaterMark: MAX_BUFFERED_BYTES });
  }

  override _read(): void {
    // Written with the first event.
  }

  tell(hint: LiveHint | OperatorHint): void {
    this.#write(`data: ${JSON.stringify(hint)}\n\n`);
  }

  /** A comment line that keeps the connection alive. */
  beat(): void {
    this.#write(":\n\n");
  }

  #write(text: string): void {
    if (this.destroyed) return;
    if (!this.push(text)) this.destroy();
  }
}
