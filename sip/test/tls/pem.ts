import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

/** A file of this folder. */
export function pemPath(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

export function readPem(name: string): Promise<string> {
  return readFile(pemPath(name), "utf8");
}
