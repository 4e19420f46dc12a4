import { hostname, userInfo } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import type { Context } from "@farline/server/context.ts";
import { admitOperator, deleteOperatorSession, requestCommandLine } from "@farline/server/operator/operator.ts";
import { AppError } from "@farline/server/platform/app-error.ts";
import { hashToken } from "@farline/server/platform/secret-token.ts";
import type { Command } from "commander";
import { print, run } from "../commands.ts";
import { CommandError } from "../installation.ts";
import { withContext } from "../open-context.ts";
import { tokenFile } from "./operator-token.ts";

const ASK_EVERY_MS = 1_000;

/** `sign-in` and `sign-out` of the operator who uses this command line. */
export function addSignInCommands(program: Command): void {
  program
    .command("sign-in")
    .description("sign in as an operator: shows a code to confirm in the console")
    .action(run(() => withContext(process.env, signIn)));
  program
    .command("sign-out")
    .description("end this command line's sign-in")
    .action(run(() => withContext(process.env, signOut)));
}

async function signIn(ctx: Context): Promise<void> {
  const { code, url, token, expiresAt } = await requestCommandLine(ctx, `${userInfo().username}@${hostname()}`);
  print(`Open ${url}\nand confirm the code ${code}. It is valid until ${expiresAt.toISOString()}.`);
  while (ctx.clock.now() < expiresAt) {
    const name = await signedInName(ctx, token);
    if (name !== null) {
      await signOutOf(ctx);
      tokenFile(ctx.config.publicUrl).write(token);
      return print(`Signed in as ${name}. The sign-in ends after 15 minutes without a command, and after 8 hours.`);
    }
    await pause(ASK_EVERY_MS);
  }
  throw new CommandError("The code has expired. Run sign-in again.");
}

/** The operator who confirmed the code; null while nobody has. */
async function signedInName(ctx: Context, token: string): Promise<string | null> {
  try {
    return (await admitOperator(ctx, { token, kind: "command_line", right: "own-access" })).operator.name;
  } catch (error) {
    if (error instanceof AppError && error.code === "unauthenticated") return null;
    throw error;
  }
}

async function signOut(ctx: Context): Promise<void> {
  await signOutOf(ctx);
  print("Signed out.");
}

async function signOutOf({ handle, config }: Context): Promise<void> {
  const file = tokenFile(config.publicUrl);
  const token = file.read();
  if (token !== null) await deleteOperatorSession(handle.db, hashToken(token));
  file.remove();
}
