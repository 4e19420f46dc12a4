import { fc, test } from "@fast-check/vitest";
import { expect } from "vitest";
import { request } from "../../test/message-samples.ts";
import type { SipResponse } from "../message/message.ts";
import { responseTo } from "../message/response.ts";
import { confirmDialog, type Dialog, dialogOfResponse, receiveInDialog, refreshTarget, requestInDialog } from "./dialog.ts";

const invite = request("INVITE");
const contact = fc.integer({ min: 1, max: 5 }).map((host) => `sip:host-${host}`);

type Event =
  | { readonly kind: "response"; readonly status: number; readonly contact: string | null }
  | {
      readonly kind: "theirs";
      readonly method: string;
      readonly number: number;
      readonly contact: string;
      readonly accepted: boolean;
    }
  | { readonly kind: "ours"; readonly method: string; readonly contact: string; readonly status: number };

const events: fc.Arbitrary<Event> = fc.oneof(
  fc.record({
    kind: fc.constant("response" as const),
    status: fc.constantFrom(180, 183, 200),
    contact: fc.option(contact),
  }),
  fc.record({
    kind: fc.constant("theirs" as const),
    method: fc.constantFrom("INVITE", "UPDATE", "INFO", "BYE"),
    number: fc.integer({ min: 0, max: 12 }),
    contact,
    accepted: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant("ours" as const),
    method: fc.constantFrom("INVITE", "UPDATE", "BYE"),
    contact,
    status: fc.constantFrom(200, 491, 488),
  }),
);

function responseWith(status: number, uri: string | null): SipResponse {
  const headers = uri === null ? new Map<string, string[]>() : new Map([["contact", [`<${uri}>`]]]);
  return responseTo(invite, status, "", { toTag: "theirs", headers });
}

/** The dialog after a response to the INVITE. */
function after(dialog: Dialog | null, response: SipResponse): Dialog {
  if (dialog === null) return dialogOfResponse(invite, response, "sip:fallback");
  return response.status === 200 && dialog.state === "early" ? confirmDialog(dialog, response) : dialog;
}

test.prop([fc.array(events, { maxLength: 30 })])(
  "a dialog has the target of its answer or last accepted refresh, and rising sequence numbers",
  (sequence) => {
    let dialog: Dialog | null = null;
    let target: string | null = null;
    let [state, theirNumber, ourNumber]: [string | null, number, number] = [null, -1, invite.cseq.number];
    for (const event of sequence) {
      if (event.kind === "response") {
        if (dialog === null) target = event.contact ?? "sip:fallback";
        else if (state === "early" && event.status === 200) target = event.contact ?? target;
        if (state !== "confirmed") state = event.status === 200 ? "confirmed" : "early";
        dialog = after(dialog, responseWith(event.status, event.contact));
      } else if (dialog !== null && event.kind === "theirs") {
        const received = request(event.method, {
          cseq: { number: event.number, method: event.method },
          headers: new Map([["contact", [`<${event.contact}>`]]]),
        });
        const next = receiveInDialog(dialog, received);
        expect(next !== null).toBe(event.number > theirNumber);
        if (next === null) continue;
        theirNumber = event.number;
        if (event.accepted && /INVITE|UPDATE/.test(event.method)) target = event.contact;
        dialog = event.accepted ? refreshTarget(next, received) : next;
      } else if (dialog !== null && event.kind === "ours") {
        const [via = { transport: "UDP", host: "a", port: null, parameters: new Map() }] = request("ACK").vias;
        const sent = requestInDialog(dialog, { method: event.method, via });
        expect(sent.request.cseq.number).toBe((ourNumber += 1));
        expect(sent.request.uri).toBe(target);
        const headers = new Map([["contact", [`<${event.contact}>`]]]);
        const answer = responseTo(sent.request, event.status, "", { toTag: "", headers });
        if (event.status === 200 && event.method !== "BYE") target = event.contact;
        dialog = refreshTarget(sent.dialog, answer);
      }
      expect(dialog?.remoteTarget ?? null).toBe(target);
      expect(dialog?.state ?? null).toBe(state);
    }
  },
);
