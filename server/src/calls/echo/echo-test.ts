import { randomBytes } from "node:crypto";
import { DAY_MS } from "@farline/domain/durations.ts";
import type { EchoTestResponse } from "@farline/contract/calls.ts";
import { uuidv7 } from "uuidv7";
import { type Customer, requireOpen } from "../../accounts/accounts.ts";
import { sharedRateLimit } from "../../platform/http/rate-limit.ts";
import { TICKET_LIFE_SECONDS } from "../record/calls.tables.ts";
import type { CallContext } from "../call-context.ts";
import { readTicket, ticketHash } from "../record/call-secrets.ts";
import type { ProviderEvent } from "../events/read-provider-event.ts";
import { insertEchoTest, redeemEchoTicket } from "./echo-test.store.ts";

/** The address that the browser dials. The exchange answers it itself, without a carrier. */
const ECHO = "echo";
const ECHO_SECONDS = 30;
const KEEP_MS = DAY_MS;

type AllowEchoTest = (customer: Customer) => Promise<EchoTestResponse>;

/**
 * Creates the function that issues a ticket for a free echo test. It is single-use, valid for a minute, and only for the echo.
 * It throws AppError account_frozen or rate_limited.
 */
export function createAllowEchoTest(ctx: CallContext): AllowEchoTest {
  const limit = sharedRateLimit(ctx, "echo-test");
  return async (customer) => {
    requireOpen(customer, "calls_while_frozen");
    await limit.take(customer.id);
    const ticket = randomBytes(32).toString("base64url");
    const now = ctx.clock.now();
    const expiresAt = new Date(now.getTime() + TICKET_LIFE_SECONDS * 1000);
    await insertEchoTest(ctx.handle.db, {
      id: uuidv7(),
      customerId: customer.id,
      ticketHash: ticketHash(ticket),
      now,
      expiresAt,
      forgetBefore: new Date(now.getTime() - KEEP_MS),
    });
    return {
      destination_number: ECHO,
      ticket,
      caller_number: ctx.config.telnyx.callerNumber,
      ticket_expires_at: expiresAt.toISOString(),
      max_seconds: ECHO_SECONDS,
    };
  };
}

/** Whether a parked leg dialled the echo test. */
export function isEchoTest(event: ProviderEvent): boolean {
  return /^(?:sips?:)?\+?echo(?:[@;].*)?$/i.test(event.to ?? "");
}

/** Starts the echo for a parked leg with a valid ticket, and hangs up any other leg. */
export async function startEcho(ctx: CallContext, event: ProviderEvent): Promise<void> {
  const ticket = readTicket(event.clientState) ?? readTicket(event.ticketHeader);
  const isGood =
    ticket !== null &&
    (await redeemEchoTicket(ctx.handle, {
      ticketHash: ticketHash(ticket),
      callControlId: event.callControlId,
      senders: event.senders,
      now: ctx.clock.now(),
    }));
  if (!isGood) ctx.log.warn({ call_control_id: event.callControlId }, "echo refused: no valid ticket");
  const echoes = isGood && (await ctx.connection.has("echo")) && (await ctx.commands.echo(event.callControlId, ECHO_SECONDS));
  if (!echoes) await ctx.commands.hangUp(event.callControlId);
}
