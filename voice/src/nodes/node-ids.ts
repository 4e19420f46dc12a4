import { randomBytes } from "node:crypto";

/** Random bytes per id, so that ids are unguessable. */
const CONTROL_ID_BYTES = 24;
const VOICE_SDK_ID_BYTES = 16;
const VOICE_SDK_ID = /^VSDK([a-z0-9-]{1,20})\.[\w-]{22}$/;

/** Identifies a leg and contains its node's name. */
export function newControlId(node: string): string {
  return `v3:${node}.${randomBytes(CONTROL_ID_BYTES).toString("base64url")}`;
}

/** Identifies a browser tab and contains its node's name. The SDK sends it in the URL when it reconnects. */
export function newVoiceSdkId(node: string): string {
  return `VSDK${node}.${randomBytes(VOICE_SDK_ID_BYTES).toString("base64url")}`;
}

export function nodeOfVoiceSdkId(id: string): string | null {
  return VOICE_SDK_ID.exec(id)?.[1] ?? null;
}
