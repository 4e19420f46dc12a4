import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { type DialogText, FAR_SDP, response } from "./sip-corpus.ts";

/** A carrier whose messages the test sends one by one. */
export class ScriptedCarrier {
  readonly #socket: Socket = createSocket("udp4");
  /** Unhandled INVITEs, and callers waiting for one. */
  readonly #invites: DialogText[] = [];
  readonly #waiting: ((dialog: DialogText) => void)[] = [];
  readonly #seen = new Set<string>();
  #port = 0;

  async bind(): Promise<number> {
    this.#socket.on("message", (datagram, from) => this.#receive(datagram.toString(), from.port));
    this.#socket.bind(0, "127.0.0.1");
    await once(this.#socket, "listening");
    this.#port = this.#socket.address().port;
    return this.#port;
  }

  /** Resolves to the next incoming call. */
  nextCall(): Promise<DialogText> {
    const there = this.#invites.shift();
    return there === undefined ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve(there);
  }

  send(text: string | Buffer, port: number): Promise<void> {
    return new Promise((resolve) => this.#socket.send(text, port, "127.0.0.1", () => resolve()));
  }

  close(): void {
    this.#socket.close();
  }

  /** Confirms requests that end a call at once. */
  #receive(text: string, port: number): void {
    const dialog = dialogOf(text, this.#port);
    if (dialog === null) return;
    if (/^(BYE|CANCEL|PRACK|UPDATE|OPTIONS) /.test(text)) void this.send(response({ ...dialog, to: dialog.to }, "200 OK"), port);
    if (text.startsWith("CANCEL ")) void this.send(cancelled(dialog), port);
    if (!text.startsWith("INVITE ") || this.#seen.has(dialog.callId)) return;
    this.#seen.add(dialog.callId);
    const waiter = this.#waiting.shift();
    if (waiter === undefined) this.#invites.push(dialog);
    else waiter(dialog);
  }
}

function cancelled(dialog: DialogText): string {
  return response({ ...dialog, cseq: dialog.cseq.replace("CANCEL", "INVITE") }, "487 Request Terminated");
}

export function answer(dialog: DialogText): string {
  return response(dialog, "200 OK", [], FAR_SDP);
}

function dialogOf(text: string, carrierPort: number): DialogText | null {
  const line = (name: string): string => new RegExp(`^${name}: .*$`, "m").exec(text)?.[0].trimEnd() ?? "";
  const [via, from, to, callId, cseq] = ["Via", "From", "To", "Call-ID", "CSeq"].map(line);
  if (!via || !from || !to || !callId || !cseq) return null;
  const target = /<(sip:[^>]*)>/.exec(line("Contact"))?.[1] ?? "sip:trunk0@127.0.0.1";
  return { via, from, to: to.replace(/;tag=far$/, ""), callId, cseq, target, carrierPort };
}
