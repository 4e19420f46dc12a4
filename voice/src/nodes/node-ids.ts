import { randomBytes } from "node:crypto";

/** Bytes of chance in an id: nobody guesses one. */
const CONTROL_ID_BYTES = 24;
const VOICE_SDK_ID_BYTES = 16;
const CONTROL_ID = /^v3:([a-z0-9-]{1,20})\.[\w-]{32}$/;
const VOICE_SDK_ID = /^VSDK([a-z0-9-]{1,20})\.[\w-]{22}$/;

/** Names a leg in commands, and the node that has it. */
export function newControlId(node: string): string {
  return `v3:${node}.${randomBytes(CONTROL_ID_BYTES).toString("base64url")}`;
}

/** Names a browser's tab, and the node that has its calls. The SDK gives it back in the address of each reconnect. */
export function newVoiceSdkId(node: string): string {
  return `VSDK${node}.${randomBytes(VOICE_SDK_ID_BYTES).toString("base64url")}`;
}

/** The node that a control id names; null for text that is no control id of ours. */
export function nodeOfControlId(id: string): string | null {
  return CONTROL_ID.exec(id)?.[1] ?? null;
}

export function nodeOfVoiceSdkId(id: string): string | null {
  return VOICE_SDK_ID.exec(id)?.[1] ?? null;
}
