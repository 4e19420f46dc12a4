import { ackInDialog, type Dialog, dialogOfResponse, hopOf } from "@farline/sip/dialog/dialog.ts";
import type { SipRequest, SipResponse } from "@farline/sip/message/message.ts";
import type { CallRegistry } from "./call-registry.ts";
import { byeOfStored, type StoredCall } from "./stored-call.ts";
import type { TrunkLine } from "./trunk-line.ts";

const DEADLINE_MS = 4_000;

/** Ends a call of an earlier process. Rejects if the far end does not confirm within 4 s. */
export async function endStoredCall({ invite, dialog }: StoredCall, line: TrunkLine, registry: CallRegistry): Promise<void> {
  if (dialog !== null) return hangUp(dialog, line);
  const { callId } = invite;
  registry.add(callId, line, null);
  try {
    const response = await cancel(invite, line);
    // The answer crossed the CANCEL.
    if (response.status >= 300) return;
    const answered = dialogOfResponse(invite, response, line.address);
    await line.acknowledge(ackInDialog(answered, invite, { via: line.newVia() }), hopOf(answered));
    await hangUp(answered, line);
  } finally {
    registry.removeLater(callId);
  }
}

async function hangUp(dialog: Dialog, line: TrunkLine): Promise<void> {
  const confirmed = await line.request((via) => byeOfStored(dialog, via), DEADLINE_MS, hopOf(dialog));
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
  await line.cancel(invite);
  return final.promise.finally(() => clearTimeout(timer));
}
