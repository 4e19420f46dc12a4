import { createHash, createHmac, hkdfSync, timingSafeEqual } from "node:crypto";

const TICKET = /^[A-Za-z0-9_-]{43}$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * The secrets of a call. All are derived under a key that only the service has, so that a request repeated with the same
 * idempotency key gets the same ticket although only the ticket's hash is stored.
 */
export interface CallSecrets {
  /** 32 bytes, base64url: permission to dial this one call, once. Goes through the browser. */
  ticket(callId: string): string;
  /** Whether somebody who says so has the ticket of this call. */
  isTicketOf(callId: string, ticket: string): boolean;
  /** What the leg to the called person carries as `client_state`: base64 JSON. Never reaches a browser. */
  farLegMark(callId: string): string;
  /**
   * The call whose far leg carries this `client_state`, or null. A browser chooses the state of its own leg, so a mark
   * without our proof is worth nothing: else a caller could pass off a leg of theirs as the far one, and end the charge.
   */
  callOfFarLeg(clientState: string | null): string | null;
  /**
   * The `command_id` of a command on a leg. The same for the same command, which the provider then carries out once; a name
   * that a caller could guess could be used up before the command comes, which would then be dropped as a repetition.
   */
  commandId(action: "transfer" | "extend" | "echo", ...command: readonly (string | number)[]): string;
}

/** @param rootKey a secret text that outlives calls: the voice provider's API key. */
export function createCallSecrets(rootKey: string): CallSecrets {
  const key = (purpose: string) => Buffer.from(hkdfSync("sha256", rootKey, "", `farline ${purpose}`, 32));
  const ticketKey = key("call ticket");
  const farLegKey = key("far leg");
  const proofOf = (callId: string) => createHmac("sha256", farLegKey).update(callId).digest("base64url");
  const commandKey = key("provider command");
  const ticketOf = (callId: string) => createHmac("sha256", ticketKey).update(callId).digest("base64url");
  return {
    ticket: ticketOf,
    isTicketOf: (callId, ticket) => areEqual(ticketOf(callId), ticket),
    farLegMark: (callId) => Buffer.from(JSON.stringify({ call: callId, leg: "far", proof: proofOf(callId) })).toString("base64"),
    callOfFarLeg(clientState) {
      const mark = readMark(clientState);
      if (mark === null) return null;
      return areEqual(proofOf(mark.call), mark.proof) ? mark.call : null;
    },
    commandId: (action, ...command) =>
      createHmac("sha256", commandKey)
        .update(JSON.stringify([action, ...command]))
        .digest("base64url"),
  };
}

/** Takes the same time wherever the texts differ. */
function areEqual(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** What is stored of a ticket. */
export function ticketHash(ticket: string): Buffer {
  return createHash("sha256").update(ticket).digest();
}

/** The ticket in a leg's `client_state` (base64 of the ticket, or the ticket as it is), or null. */
export function readTicket(clientState: string | null): string | null {
  if (clientState === null) return null;
  const decoded = Buffer.from(clientState, "base64").toString("latin1");
  return [decoded, clientState].find((text) => TICKET.test(text)) ?? null;
}

function readMark(clientState: string | null): { call: string; proof: string } | null {
  if (clientState === null) return null;
  const text = Buffer.from(clientState, "base64").toString("utf8");
  if (!text.startsWith("{")) return null;
  try {
    const { call, leg, proof } = JSON.parse(text) as Record<string, unknown>;
    return typeof call === "string" && UUID.test(call) && leg === "far" && typeof proof === "string" ? { call, proof } : null;
  } catch {
    return null; // somebody else's state: it may be anything
  }
}
