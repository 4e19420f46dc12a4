import { selling } from "@farline/contract/settings/selling-settings.ts";
import type { InvitationLinkResponse } from "@farline/contract/operator/people.ts";
import type { Context } from "@farline/server/context.ts";
import { withOwnContext } from "@farline/server/open-context.ts";
import { inviteFirstAdmin } from "@farline/server/operator/operator.ts";
import { AppError } from "@farline/server/platform/app-error.ts";
import { createLog } from "@farline/server/platform/log.ts";
import { CommandError } from "../command.ts";
import type { Invited } from "../operate/people-commands.ts";
import { readInstallation } from "./installation.ts";

type Env = Readonly<Record<string, string | undefined>>;

const LOG_LEVEL = "warn";

/**
 * Connects to the database and the payment provider of the installation on this machine, calls `run` and disconnects.
 * @throws CommandError if no installation is found, or as `run` is refused
 */
export async function withContext<Result>(env: Env, run: (ctx: Context) => Promise<Result>): Promise<Result> {
  const { databaseUrl, publicUrl, stripe } = readInstallation(env);
  const promotions = { freeCreditPerDayMicros: readFreeCreditPerDay(env) };
  // Standard output holds only what a command prints.
  const log = createLog(env["LOG_LEVEL"] || LOG_LEVEL, "cli", process.stderr);
  const mode = stripe.apiBase === null ? ("live" as const) : ("sandbox" as const);
  try {
    return await withOwnContext({ databaseUrl, publicUrl, mode, stripe, limitsScale: 1, promotions }, log, run);
  } catch (error) {
    throw error instanceof AppError ? new CommandError(error.message, error.code) : error;
  }
}

/** Adds the first administrator, or gives the only one a new link. Anyone with access to the database may. */
export async function addFirstAdmin(invited: Invited): Promise<InvitationLinkResponse> {
  const { url, expiresAt } = await withContext(process.env, (ctx) => inviteFirstAdmin(ctx, invited));
  return { url, expires_at: expiresAt.toISOString() };
}

/** Reads the only setting of the service that commands need; others may not be set here. */
function readFreeCreditPerDay(env: Env): bigint {
  const read = selling.FREE_CREDIT_PER_DAY.schema.safeParse(env["FREE_CREDIT_PER_DAY"] || undefined);
  if (!read.success) throw new CommandError(`FREE_CREDIT_PER_DAY: ${read.error.issues[0]?.message ?? "is not an amount"}.`);
  return read.data;
}
