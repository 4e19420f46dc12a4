import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

/**
 * The file in the operator's home that holds the token of their signed-in command line, one for each installation. Only its owner
 * may read it.
 */
export interface TokenFile {
  read(): string | null;
  write(token: string): void;
  remove(): void;
}

export function tokenFile(publicUrl: string): TokenFile {
  const path = join(homedir(), ".farline", `${new URL(publicUrl).host.replace(":", "-")}.token`);
  return {
    read: () => (existsSync(path) ? readFileSync(path, "utf8").trim() : null),
    write(token) {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      writeFileSync(path, `${token}\n`, { mode: 0o600 });
      // An existing file keeps its mode.
      chmodSync(path, 0o600);
    },
    remove: () => rmSync(path, { force: true }),
  };
}
