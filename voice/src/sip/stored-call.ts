import type { Dialog } from "@farline/sip/dialog/dialog.ts";
import { requestInDialog } from "@farline/sip/dialog/dialog.ts";
import type { SipRequest, Via } from "@farline/sip/message/message.ts";
import { parseMessage } from "@farline/sip/message/parse-message.ts";
import { writeMessage } from "@farline/sip/message/write-message.ts";
import { z } from "zod";
import { reasonHeader } from "./trunk-requests.ts";

const party = z.object({ display: z.string(), uri: z.string(), tag: z.string() });

/** A call at a carrier as stored text, so that a later process can end it: by CANCEL until it is answered, then by BYE. */
const storedCall = z.object({
  trunk: z.string(),
  /** The INVITE without its body. */
  invite: z.string(),
  /** Null until the answer. */
  dialog: z
    .object({
      callId: z.string(),
      local: party,
      remote: party,
      remoteTarget: z.string(),
      routes: z.array(z.string()),
      localSequence: z.int(),
      remoteSequence: z.int().nullable(),
      state: z.enum(["early", "confirmed"]),
    })
    .nullable(),
});

export interface StoredCall {
  readonly trunk: string;
  readonly invite: SipRequest;
  readonly dialog: Dialog | null;
}

/** More than the requests that may have been sent in the dialog since it was stored. */
const CSEQ_GAP = 100;
const RESTARTED = reasonHeader("Q.850", 41, "Exchange was restarted");

export function storeCall({ trunk, invite, dialog }: StoredCall): string {
  const text = writeMessage({ ...invite, body: new Uint8Array() }).toString("utf8");
  return JSON.stringify({ trunk, invite: text, dialog });
}

/** @returns null for any other text */
export function readStoredCall(text: string): StoredCall | null {
  try {
    const { trunk, invite, dialog } = storedCall.parse(JSON.parse(text));
    const parsed = parseMessage(Buffer.from(invite));
    if (!parsed.ok || parsed.message.kind !== "request" || parsed.message.method !== "INVITE") return null;
    return { trunk, invite: parsed.message, dialog };
  } catch {
    return null;
  }
}

/** The BYE of an earlier process's dialog. */
export function byeOfStored(dialog: Dialog, via: Via): SipRequest {
  const later = { ...dialog, localSequence: dialog.localSequence + CSEQ_GAP };
  return requestInDialog(later, { method: "BYE", via, headers: RESTARTED }).request;
}
