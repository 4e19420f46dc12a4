import { findUnreadable } from "@farline/domain/text/readable-text.ts";
import { z } from "zod";

/** An offer with a full list of candidates is far shorter. */
export const MAX_FRAME_BYTES = 64 * 1024;

const text = (max: number) => z.string().max(max);

/** A JSON-RPC 2.0 frame: a request (`id`), a response (`result` or `error`), or a notification without an id. */
const frame = z.object({
  id: z.union([text(128), z.number()]).optional(),
  method: text(64).optional(),
  params: z.record(z.string(), z.unknown()).optional(),
  result: z.unknown().optional(),
  error: z.unknown().optional(),
});
export type Frame = z.infer<typeof frame>;
export type FrameId = NonNullable<Frame["id"]>;

/** Only login by token is supported. */
export const loginParams = z.object({ login_token: text(4096).optional(), sessid: text(128).nullish() });

const customHeaders = z.array(z.object({ name: text(64), value: text(512) })).max(20);

/** The SDK's names on the wire; only `clientState` is in camel case. */
export const inviteParams = z.object({
  sdp: text(48 * 1024),
  dialogParams: z.object({
    callID: text(64).min(1),
    destination_number: text(64).min(1),
    caller_id_name: text(128).nullish(),
    caller_id_number: text(64).nullish(),
    clientState: text(4096).nullish(),
    custom_headers: customHeaders.nullish(),
  }),
});
export type InviteParams = z.infer<typeof inviteParams>;

const dialogParams = z.object({ callID: text(64).min(1) });

/** `modify` and `updateMedia` have the callID in `dialogParams`; the latter sometimes also has it at the top level. */
export const callParams = z.object({ callID: text(64).optional(), dialogParams: dialogParams.optional() });
export const byeParams = callParams.extend({ cause: text(64).nullish(), causeCode: z.number().nullish() });
export const modifyParams = callParams.extend({
  action: z.enum(["hold", "unhold", "toggleHold", "updateMedia"]),
  sdp: text(48 * 1024).optional(),
});
export const attachParams = callParams.extend({ sdp: text(48 * 1024) });
/** `msg` is the SDK's message within a call. Texts that we don't know are passed over. */
export const infoParams = callParams.extend({ dtmf: text(100).optional(), msg: z.object({ body: text(1024) }).optional() });

/** JSON-RPC error codes. Never -32000, after which the SDK signs in again in an endless loop. */
export const errorCode = { login: -32001, noSuchCall: -32002, invalidParams: -32602, failed: -32603 } as const;

/** Parses a text frame; null if invalid. */
export function parseFrame(message: string): Frame | null {
  let json: unknown;
  try {
    json = JSON.parse(message);
  } catch {
    // Not JSON, for example the SDK's speed test (#SPU …).
    return null;
  }
  // The service could not store this text.
  if (findUnreadable(json) !== null) return null;
  const parsed = frame.safeParse(json);
  return parsed.success ? parsed.data : null;
}
