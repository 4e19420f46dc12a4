import { hostname, userInfo } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import type { Command } from "commander";
import { CommandError, print, run } from "../command.ts";
import { ask, askWith, serviceUrl, tokenFile } from "./service.ts";

const ASK_EVERY_MS = 1_000;
const MAX_DEVICE_CHARS = 80;
/** Nobody has confirmed yet, or the service restarts. */
const NOT_YET: ReadonlySet<string | null> = new Set(["unauthenticated", "unavailable", "rate_limited"]);

/** `sign-in` and `sign-out` of the operator who uses this command line. */
export function addSignInCommands(program: Command): void {
  program.command("sign-in").description("sign in as an operator: shows a code to confirm in the console").action(run(signIn));
  program.command("sign-out").description("end this command line's sign-in").action(run(signOut));
}

async function signIn(): Promise<void> {
  const url = serviceUrl();
  const device = `${userName()}@${hostname()}`.slice(0, MAX_DEVICE_CHARS);
  const asked = await askWith({ url, token: null }, "POST /api/operator/command-line/request", { body: { device } });
  print(`Open ${asked.url}\nand confirm the code ${asked.code}. It is valid until ${asked.expires_at}.`);
  const until = Date.parse(asked.expires_at);
  while (Date.now() < until) {
    const name = await signedInName(url, asked.token);
    if (name !== null) {
      await endSignIn(url);
      tokenFile(url).write(asked.token);
      return print(`Signed in as ${name}. The sign-in ends after 15 minutes without a command, and after 8 hours.`);
    }
    await pause(ASK_EVERY_MS);
  }
  throw new CommandError("The code has expired. Run sign-in again.");
}

/** Containers may run as a user that has a number and no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.()}`;
  }
}

/** The operator who confirmed the code; null while nobody has. */
async function signedInName(url: string, token: string): Promise<string | null> {
  const session = await askWith({ url, token }, "GET /api/operator/session").catch((error: unknown) => {
    if (error instanceof CommandError && NOT_YET.has(error.code)) return null;
    throw error;
  });
  return session?.operator.name ?? null;
}

async function signOut(): Promise<void> {
  await endSignIn(serviceUrl());
  print("Signed out.");
}

/** Ends the stored sign-in, if there is one that has not ended by itself. */
async function endSignIn(url: string): Promise<void> {
  const file = tokenFile(url);
  if (file.read() === null) return;
  await ask("POST /api/operator/sign-out").catch((error: unknown) => {
    if (!(error instanceof CommandError && error.code === "unauthenticated")) throw error;
  });
  file.remove();
}
