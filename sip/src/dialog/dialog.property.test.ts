import { fc, test } from "@fast-check/vitest";
import { expect } from "vitest";
import { request } from "../../test/message-samples.ts";
import type { SipResponse } from "../message/message.ts";
import { responseTo } from "../message/response.ts";
import { type Dialog, receiveInDialog, refreshTarget, requestInDialog } from "./dialog.ts";
import { dialogsAfter, type InviteDialogs } from "./invite-dialogs.ts";

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

test.prop([fc.array(events, { maxLength: 30 })])(
  "a dialog has the target of its answer or last accepted refresh, and rising sequence numbers",
  (sequence) => {
    let dialogs: InviteDialogs = new Map<string, Dialog>();
    let target: string | null = null;
    let [state, theirNumber, ourNumber]: [string | null, number, number] = [null, -1, invite.cseq.number];
    for (const event of sequence) {
      const dialog = dialogs.get("theirs");
      if (event.kind === "response") {
        dialogs = dialogsAfter(dialogs, invite, responseWith(event.status, event.contact), "sip:fallback");
        if (dialog === undefined) target = event.contact ?? "sip:fallback";
        else if (state === "early" && event.status === 200) target = event.contact ?? target;
        if (state !== "confirmed") state = event.status === 200 ? "confirmed" : "early";
      } else if (dialog !== undefined && event.kind === "theirs") {
        const received = request(event.method, {
          cseq: { number: event.number, method: event.method },
          headers: new Map([["contact", [`<${event.contact}>`]]]),
        });
        const after = receiveInDialog(dialog, received);
        expect(after !== null).toBe(event.number > theirNumber);
        if (after === null) continue;
        theirNumber = event.number;
        if (event.accepted && /INVITE|UPDATE/.test(event.method)) target = event.contact;
        dialogs = new Map([["theirs", event.accepted ? refreshTarget(after, received) : after]]);
      } else if (dialog !== undefined && event.kind === "ours") {
        const [via] = request("ACK").vias;
        const sent = requestInDialog(dialog, { method: event.method, via: via ?? invite.vias[0]! });
        expect(sent.request.cseq.number).toBe((ourNumber += 1));
        expect(sent.request.uri).toBe(target);
        const answer = responseTo(sent.request, event.status, "", {
          toTag: "",
          headers: new Map([["contact", [`<${event.contact}>`]]]),
        });
        if (event.status === 200 && event.method !== "BYE") target = event.contact;
        dialogs = new Map([["theirs", refreshTarget(sent.dialog, answer)]]);
      }
      expect(dialogs.get("theirs")?.remoteTarget ?? null).toBe(target);
      expect(dialogs.get("theirs")?.state ?? null).toBe(state);
    }
  },
);
