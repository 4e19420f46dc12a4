import { createHash, randomInt } from "node:crypto";
import type { Context, OperatorContext } from "../../context.ts";
import { AppError } from "../../platform/app-error.ts";
import { hashToken, newToken } from "../../platform/sealed-value.ts";
import { recordOperation, CONCERNS_NOBODY } from "../operations.store.ts";
import { deleteCommandLine, findCommandLine, insertCommandLine } from "./operator-session.store.ts";
import { startOperatorSession } from "./operator-sessions.ts";

const GOOD_FOR_MS = 10 * 60_000;
const CODE_LENGTH = 8;
/** No letters or digits that look alike. */
const ALPHABET = "23456789BCDFGHJKMNPQRTVWXYZ";

/** A command line's request to be signed in: its operator compares the code and confirms it in the console. */
export interface CommandLineRequest {
  /** As in "K7QX-M2RP". */
  readonly code: string;
  readonly url: string;
  /** Admits to commands once the code is confirmed. */
  readonly token: string;
  readonly expiresAt: Date;
}

/** Makes a code for a command line. @param device names its computer and user */
export async function requestCommandLine(
  { handle, clock, config }: Pick<Context, "handle" | "clock" | "config">,
  device: string,
): Promise<CommandLineRequest> {
  const code = Array.from({ length: CODE_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");
  const shown = `${code.slice(0, 4)}-${code.slice(4)}`;
  const token = newToken("fo_");
  const expiresAt = new Date(clock.now().getTime() + GOOD_FOR_MS);
  await insertCommandLine(handle.db, {
    code_hash: hashCode(code),
    token_hash: hashToken(token),
    device: device.slice(0, 120),
    expires_at: expiresAt,
  });
  return { code: shown, url: `${config.publicUrl}/operator/command-line#${shown}`, token, expiresAt };
}

/** The computer that waits with a code. @throws AppError not_found */
export async function readCommandLine({ handle, clock }: Context, code: string): Promise<{ device: string }> {
  const found = await findCommandLine(handle.db, hashCode(code), clock.now());
  if (found === undefined) throw noCode();
  return { device: found.device };
}

/** Signs in the command line that shows this code, as the acting operator. @throws AppError not_found */
export async function confirmCommandLine(ctx: OperatorContext, code: string): Promise<void> {
  const now = ctx.clock.now();
  const codeHash = hashCode(code);
  await ctx.transaction(async (tx) => {
    const found = await findCommandLine(tx, codeHash, now);
    if (found === undefined || !(await deleteCommandLine(tx, codeHash))) throw noCode();
    const { device, token_hash: tokenHash } = found;
    await startOperatorSession(tx, ctx.actor.id, { tokenHash, place: { kind: "command_line", device, network: "" }, now });
    await recordOperation(tx, ctx, {
      ...CONCERNS_NOBODY,
      action: "sign-in",
      subject: null,
      reason: "Command line",
      detail: { device },
    });
  });
}

function hashCode(code: string): Buffer {
  return createHash("sha256")
    .update(code.toUpperCase().replaceAll(/[^0-9A-Z]/g, ""))
    .digest();
}

function noCode(): AppError {
  return new AppError("not_found", { reason: "operator.no_code" });
}
