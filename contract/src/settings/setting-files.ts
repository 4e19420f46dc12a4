import { readFileSync } from "node:fs";
import { settings } from "./settings.ts";
import type { Env } from "./setting.ts";

const SUFFIX = "_FILE";
/** No setting is longer. */
const MAX_CHARS = 64 * 1024;

/**
 * Reads settings that stand in files: `NAME_FILE` names the file with the value of the setting `NAME`, for secrets that an environment
 * must not hold. A line end after the value does not count.
 * @returns the environment with those values, and a message for each file that cannot be used
 */
export function readSettingFiles(env: Env): { readonly env: Env; readonly problems: readonly string[] } {
  const read: Record<string, string> = {};
  const problems: string[] = [];
  for (const [variable, path] of Object.entries(env)) {
    const name = variable.endsWith(SUFFIX) ? variable.slice(0, -SUFFIX.length) : "";
    if (!path || !Object.hasOwn(settings, name)) continue;
    if (env[name]) problems.push(`${variable}: ${name} is set too`);
    else {
      try {
        read[name] = readValue(path);
      } catch (error) {
        problems.push(`${variable}: ${(error as Error).message}`);
      }
    }
  }
  return { env: { ...env, ...read }, problems };
}

/** @throws Error if the file cannot be read, is empty or too long */
function readValue(path: string): string {
  const value = readFileSync(path, "utf8").replace(/\r?\n$/, "");
  if (value === "") throw new Error(`${path} is empty`);
  if (value.length > MAX_CHARS) throw new Error(`${path} is longer than any setting`);
  return value;
}
