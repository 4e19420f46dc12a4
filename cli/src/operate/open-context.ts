import { actingAs, type Context, type Operator, type OperatorContext } from "@farline/server/context.ts";
import { withOwnContext } from "@farline/server/open-context.ts";
import { actorOf, admitOperator } from "@farline/server/operator/operator.ts";
import { requireOpenDoors } from "@farline/server/restore/restore.ts";
import { AppError } from "@farline/server/platform/app-error.ts";
import { createLog } from "@farline/server/platform/log.ts";
import { selling } from "@farline/contract/settings/selling-settings.ts";
import type { OperatorRight } from "@farline/contract/operator/rights.ts";
import { CommandError, readInstallation } from "./installation.ts";
import { tokenFile } from "./people/operator-token.ts";

type Env = Readonly<Record<string, string | undefined>>;

const LOG_LEVEL = "warn";

/**
 * Connects to the database and the payment provider of the running installation, calls `run` and disconnects.
 * @throws CommandError if no installation is found
 */
export async function withContext<Result>(env: Env, run: (ctx: Context) => Promise<Result>): Promise<Result> {
  const { databaseUrl, publicUrl, stripe } = readInstallation(env);
  const promotions = { giftsPerDayMicros: readGiftsPerDay(env) };
  // Standard output holds only what a command prints.
  const log = createLog(env["LOG_LEVEL"] || LOG_LEVEL, "cli", process.stderr);
  const mode = stripe.apiBase === null ? ("live" as const) : ("sandbox" as const);
  return withOwnContext({ databaseUrl, publicUrl, mode, stripe, limitsScale: 1, promotions }, log, run);
}

/**
 * The same for a command that changes something, as the operator who is signed in on this command line.
 * @throws CommandError if nobody is, if the last proof of identity is too old, or if their role lacks the right
 */
export function asOperator<Result>(
  env: Env,
  right: OperatorRight,
  run: (ctx: OperatorContext) => Promise<Result>,
): Promise<Result> {
  return withContext(env, async (ctx) => {
    const operator = await signedInOperator(ctx, right);
    await requireOpenDoors(ctx.handle.db, right);
    return run(actingAs(ctx, operator));
  });
}

/** Whether this command line has a token, which may have expired. */
export function isSignedIn(env: Env): boolean {
  return tokenFile(readInstallation(env).publicUrl).read() !== null;
}

async function signedInOperator(ctx: Context, right: OperatorRight): Promise<Operator> {
  const token = tokenFile(ctx.config.publicUrl).read();
  try {
    return actorOf(await admitOperator(ctx, { token, kind: "command_line", right }), right);
  } catch (error) {
    if (!(error instanceof AppError) || error.code === "forbidden") throw error;
    throw new CommandError(`${error.message} Run: npm run cli -- sign-in`);
  }
}

/** Reads the only setting of the service that commands need; others may not be set here. */
function readGiftsPerDay(env: Env): bigint {
  const read = selling.GIFTS_PER_DAY.schema.safeParse(env["GIFTS_PER_DAY"] || undefined);
  if (!read.success) throw new CommandError(`GIFTS_PER_DAY: ${read.error.issues[0]?.message ?? "is not an amount"}.`);
  return read.data;
}
