import { ackInDialog, type Dialog, dialogOfResponse, hopOf, requestInDialog } from "@farline/sip/dialog/dialog.ts";
import type { SipRequest, SipResponse, Via } from "@farline/sip/message/message.ts";
import { parseMessage } from "@farline/sip/message/parse-message.ts";
import { writeMessage } from "@farline/sip/message/write-message.ts";
import { z } from "zod";
import type { TrunkLine } from "./trunk-line.ts";
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

interface StoredCall {
  readonly trunk: string;
  readonly invite: SipRequest;
  readonly dialog: Dialog | null;
}

/** More than the requests that may have been sent in the dialog since it was stored. */
const CSEQ_GAP = 100;
const DEADLINE_MS = 4_000;
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
function byeOfStored(dialog: Dialog, via: Via): SipRequest {
  const later = { ...dialog, localSequence: dialog.localSequence + CSEQ_GAP };
  return requestInDialog(later, { method: "BYE", via, headers: RESTARTED }).request;
}

/** Where Call-IDs are known, so that their messages find the line. */
interface KnownCalls {
  add(callId: string, line: TrunkLine, attempt: null): void;
  removeLater(callId: string): void;
}

/** Ends a call of an earlier process. Rejects if the far end does not confirm within 4 s. */
export async function endStoredCall({ invite, dialog }: StoredCall, line: TrunkLine, calls: KnownCalls): Promise<void> {
  if (dialog !== null) return hangUp(dialog, invite, line);
  const { callId } = invite;
  calls.add(callId, line, null);
  try {
    const response = await cancel(invite, line);
    // The answer crossed the CANCEL.
    if (response.status >= 300) return;
    const answered = dialogOfResponse(invite, response, line.address);
    await line.acknowledge((via) => ackInDialog(answered, invite, { via }), { uri: hopOf(answered), invite });
    await hangUp(answered, invite, line);
  } finally {
    calls.removeLater(callId);
  }
}

async function hangUp(dialog: Dialog, invite: SipRequest, line: TrunkLine): Promise<void> {
  const confirmed = await line.request((via) => byeOfStored(dialog, via), { uri: hopOf(dialog), invite }, DEADLINE_MS);
  if (confirmed === null) throw new Error("The far end did not confirm the BYE.");
}

/** Resolves to the final response of the INVITE. */
async function cancel(invite: SipRequest, line: TrunkLine): Promise<SipResponse> {
  const final = Promise.withResolvers<SipResponse>();
  const timer = setTimeout(() => final.reject(new Error("The far end did not confirm the CANCEL.")), DEADLINE_MS);
  await line.resume(invite, {
    onResponse: (response) => {
      if (response.status >= 200) final.resolve(response);
    },
    onFailed: (cause) => final.reject(new Error(`The INVITE ended without a response: ${cause}.`)),
  });
  line.cancel(invite);
  return final.promise.finally(() => clearTimeout(timer));
}
