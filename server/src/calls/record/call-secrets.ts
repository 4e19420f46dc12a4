import { createHash, createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import type { KeyList } from "@farline/contract/settings/setting.ts";
import { isUuid } from "@farline/domain/uuid.ts";
import type { z } from "zod";
import { type CallOrder, callOrder } from "./call-columns.ts";
import type { CallRow } from "./calls.tables.ts";

const TICKET = /^[A-Za-z0-9_-]{43}$/;

/**
 * The secrets of calls. They are derived from a root key, so that repeating a request with the same idempotency key returns the same
 * ticket, although only its hash is stored.
 */
export interface CallSecrets {
  /** The ticket for a browser that did not send one: permission to dial this call once. 32 bytes, base64url. */
  ticket(callId: string): string;
  /**
   * The `client_state` of the leg to the called person: base64 JSON with the call's id and its order, from which the call is written again
   * if the database forgets it. Browsers never see it.
   */
  farLegMark(call: CallRow): string;
  /**
   * The call whose far leg carries this `client_state`, or null. The mark is authenticated, because browsers choose their own legs'
   * state: a caller could otherwise pass off their own leg as the far leg and end the charge.
   */
  callOfFarLeg(clientState: string | null): string | null;
  /** The authenticated order in a far leg's mark, or null. */
  orderOfFarLeg(clientState: string | null): (CallOrder & { readonly id: string }) | null;
  /** Identifies a customer to the voice provider without revealing our id. */
  customerMark(customerId: string): string;
  /** Identifies a session to the voice provider without revealing our id. */
  sessionMark(sessionId: string): string;
  /**
   * The `command_id` of a command on a leg. The provider executes each id once, so it must be the same for the same command, and
   * secret: a caller who could guess it could use it first, and the real command would be dropped as a repetition.
   */
  commandId(action: "answer" | "transfer" | "extend" | "echo", ...command: readonly (string | number)[]): string;
}

/** @param rootKeys secrets that outlive calls: the voice provider's API keys, of which the others are accepted while they are replaced */
export function createCallSecrets(rootKeys: KeyList<string>): CallSecrets {
  const derive = (rootKey: string, purpose: string) => Buffer.from(hkdfSync("sha256", rootKey, "", `farline ${purpose}`, 32));
  const key = (purpose: string) => derive(rootKeys[0], purpose);
  const ticketKey = key("call ticket");
  const farLegKeys = rootKeys.map((rootKey) => derive(rootKey, "far leg"));
  const orderKeys = rootKeys.map((rootKey) => derive(rootKey, "call order"));
  const proofsOf = (text: string, keys = farLegKeys) =>
    keys.map((one) => createHmac("sha256", one).update(text).digest("base64url"));
  const orderProofsOf = (callId: string, order: unknown) => proofsOf(JSON.stringify([callId, order]), orderKeys);
  const commandKey = key("provider command");
  const customerKey = key("customer mark");
  const sessionKey = key("session mark");
  return {
    ticket: (callId) => createHmac("sha256", ticketKey).update(callId).digest("base64url"),
    farLegMark(call) {
      const order = callOrder.encode(call);
      const [proof, orderProof] = [proofsOf(call.id)[0], orderProofsOf(call.id, order)[0]];
      return Buffer.from(JSON.stringify({ call: call.id, leg: "far", proof, order, order_proof: orderProof })).toString("base64");
    },
    callOfFarLeg(clientState) {
      const mark = readMark(clientState);
      if (mark === null) return null;
      return proofsOf(mark.call).some((proof) => areEqual(proof, mark.proof)) ? mark.call : null;
    },
    orderOfFarLeg(clientState) {
      const mark = readMark(clientState);
      if (mark === null) return null;
      if (!orderProofsOf(mark.call, mark.order).some((proof) => areEqual(proof, mark.orderProof))) return null;
      const { data: order } = callOrder.safeDecode(mark.order as z.input<typeof callOrder>);
      return order === undefined ? null : { ...order, id: mark.call };
    },
    customerMark: (customerId) => createHmac("sha256", customerKey).update(customerId).digest("base64url"),
    sessionMark: (sessionId) => createHmac("sha256", sessionKey).update(sessionId).digest("base64url"),
    commandId: (action, ...command) =>
      createHmac("sha256", commandKey)
        .update(JSON.stringify([action, ...command]))
        .digest("base64url"),
  };
}

/** Compares in constant time. */
function areEqual(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** The stored form of a ticket. */
export function ticketHash(ticket: string): Buffer {
  return createHash("sha256").update(ticket).digest();
}

/** Whether this is the call's ticket. */
export function isTicketOf(call: { ticket_hash: Buffer }, ticket: string): boolean {
  return timingSafeEqual(call.ticket_hash, ticketHash(ticket));
}

/** The ticket in a leg's `client_state` (base64 or plain), or null. */
export function readTicket(clientState: string | null): string | null {
  if (clientState === null) return null;
  const decoded = Buffer.from(clientState, "base64").toString("latin1");
  return [decoded, clientState].find((text) => TICKET.test(text)) ?? null;
}

interface Mark {
  readonly call: string;
  readonly proof: string;
  readonly order: unknown;
  readonly orderProof: string;
}

function readMark(clientState: string | null): Mark | null {
  if (clientState === null) return null;
  const text = Buffer.from(clientState, "base64").toString("utf8");
  if (!text.startsWith("{")) return null;
  try {
    const { call, leg, proof, order = null, order_proof: orderProof = "" } = JSON.parse(text) as Record<string, unknown>;
    if (typeof call !== "string" || !isUuid(call) || leg !== "far") return null;
    return typeof proof === "string" && typeof orderProof === "string" ? { call, proof, order, orderProof } : null;
  } catch {
    return null; // not our state
  }
}
