import type { SipRequest, SipResponse } from "../message/message.ts";
import { tagOf } from "../message/name-address.ts";
import { confirmDialog, type Dialog, dialogOfResponse, isOfDialog } from "./dialog.ts";

/** Forks of one INVITE. Carriers send two or three; further ones share the last. */
const MAX_FORKS = 20;

/** The dialogs of one INVITE that we sent, by the peer's tag: forks ring and answer separately (RFC 3261 §12.1, §13.2.2.4). */
export type InviteDialogs = ReadonlyMap<string, Dialog>;

/** Takes a response that has a To tag: creates, or confirms, its dialog. 100 and refusals create none. */
export function dialogsAfter(
  dialogs: InviteDialogs,
  invite: SipRequest,
  response: SipResponse,
  fallbackTarget: string,
): InviteDialogs {
  const tag = tagOf(response.to) ?? "";
  if (response.status === 100 || response.status >= 300) return dialogs;
  const known = dialogs.get(tag);
  if (known === undefined && dialogs.size >= MAX_FORKS && response.status < 200) return dialogs;
  const dialog =
    known === undefined
      ? dialogOfResponse(invite, response, fallbackTarget)
      : response.status < 200 || known.state === "confirmed"
        ? known
        : confirmDialog(known, response);
  return new Map(dialogs).set(tag, dialog);
}

/** The dialog of a request of the peer; undefined if there is none. */
export function dialogOf(dialogs: InviteDialogs, request: SipRequest): Dialog | undefined {
  return [...dialogs.values()].find((dialog) => isOfDialog(dialog, request));
}
