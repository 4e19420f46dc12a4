import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { CommandError } from "../command.ts";

/** The file in the operator's home that holds the token of their sign-in at one address. Only its owner may read it. */
export interface TokenFile {
  /** @throws CommandError if another user owns it */
  read(): string | null;
  write(token: string): void;
  remove(): void;
}

export function tokenFile(url: string): TokenFile {
  const path = join(homedir(), ".farline", `${new URL(url).host.replaceAll(/[^\w.-]/g, "-")}.token`);
  return {
    read() {
      try {
        return readFileSync(path, "utf8").trim() || null;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
        throw new CommandError(`The sign-in in ${path} cannot be read: ${(error as Error).message}.`);
      }
    },
    write(token) {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      writeFileSync(path, `${token}\n`, { mode: 0o600 });
      // An existing file keeps its mode.
      chmodSync(path, 0o600);
    },
    remove: () => rmSync(path, { force: true }),
  };
}
