import type { LiveHint } from "@farline/contract/events.ts";
import { Readable } from "node:stream";

/** Unread bytes after which a page has stopped reading. */
const MOST_UNREAD_BYTES = 32 * 1024;

/** Hints in the form of server-sent events (WHATWG HTML §9.2). A reader that does not keep up is let go. */
export class HintStream extends Readable {
  constructor() {
    super({ highWaterMark: MOST_UNREAD_BYTES });
  }

  override _read(): void {
    // Written when there is something to tell.
  }

  tell(hint: LiveHint): void {
    this.#write(`data: ${JSON.stringify(hint)}\n\n`);
  }

  /** A comment: says nothing, and shows that somebody is there. */
  beat(): void {
    this.#write(":\n\n");
  }

  #write(text: string): void {
    if (this.destroyed) return;
    if (!this.push(text)) this.destroy();
  }
}
