import { type Dialog, Grammar, type OutgoingRequestMessage, type Session, type UserAgentCore } from "sip.js/lib/core/index.js";
import { z } from "zod";

/** A confirmed dialog (RFC 3261 §12) as stored text, so that a later process can end it. */
const storedDialog = z.object({
  trunk: z.string(),
  callId: z.string(),
  localTag: z.string(),
  remoteTag: z.string(),
  localUri: z.string(),
  remoteUri: z.string(),
  remoteTarget: z.string(),
  routes: z.array(z.string()),
  cseq: z.int(),
});
type StoredDialog = z.infer<typeof storedDialog>;

/** More than the requests that may have been sent in the dialog since it was stored. */
const CSEQ_GAP = 100;

export function storeDialog(session: Session, trunk: string): string {
  const dialog = session as Session & Dialog;
  const stored: StoredDialog = {
    trunk,
    callId: dialog.callId,
    localTag: dialog.localTag,
    remoteTag: dialog.remoteTag,
    localUri: dialog.localURI.toString(),
    remoteUri: dialog.remoteURI.toString(),
    remoteTarget: dialog.remoteTarget.toString(),
    routes: dialog.routeSet,
    cseq: dialog.localSequenceNumber ?? 0,
  };
  return JSON.stringify(stored);
}

/** @returns null for any other text. */
export function readStoredDialog(text: string): StoredDialog | null {
  try {
    return storedDialog.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** Builds the BYE of a stored dialog. @throws Error if one of its addresses is malformed */
export function byeOfStored(core: UserAgentCore, stored: StoredDialog): OutgoingRequestMessage {
  const uri = (text: string) => {
    const parsed = Grammar.URIParse(text);
    if (parsed === undefined) throw new Error(`The stored dialog has the malformed address ${text}.`);
    return parsed;
  };
  return core.makeOutgoingRequestMessage(
    "BYE",
    uri(stored.remoteTarget),
    uri(stored.localUri),
    uri(stored.remoteUri),
    {
      callId: stored.callId,
      fromTag: stored.localTag,
      toTag: stored.remoteTag,
      cseq: stored.cseq + CSEQ_GAP,
      routeSet: stored.routes,
    },
    ['Reason: Q.850;cause=41;text="Exchange was restarted"'],
  );
}
