import { readFileSync } from "node:fs";
import { settings } from "./settings.ts";
import type { Env } from "./setting.ts";

const SUFFIX = "_FILE";
/** No setting is longer. */
const MAX_CHARS = 64 * 1024;

/**
 * Reads settings as they stand in the environment, and those that stand in files: `NAME_FILE` names the file with the value of the setting
 * `NAME`, for secrets that an environment must not hold. White space around a value does not count: secrets often end with a line end.
 * @returns the environment with those values, and a message for each that cannot be used
 */
export function readEnvironment(env: Env): { readonly env: Env; readonly problems: readonly string[] } {
  const read: Record<string, string> = {};
  const problems: string[] = [];
  for (const [variable, value] of Object.entries(env)) {
    const isSetting = Object.hasOwn(settings, variable);
    const name = isSetting || !variable.endsWith(SUFFIX) ? variable : variable.slice(0, -SUFFIX.length);
    if (!value || !Object.hasOwn(settings, name)) continue;
    if (!isSetting && env[name]) problems.push(`${variable}: ${name} is set too`);
    else {
      try {
        read[name] = plainValue(isSetting ? value : readFile(value));
      } catch (error) {
        problems.push(`${variable}: ${(error as Error).message}`);
      }
    }
  }
  return { env: { ...env, ...read }, problems };
}

/** @throws Error for quotes around the value, which some readers of environment files leave there */
function plainValue(text: string): string {
  const value = text.trim();
  if (/^(["']).*\1$/s.test(value)) throw new Error("the quotes around it are part of the value here, so leave them out");
  return value;
}

/** @throws Error if the file cannot be read, is empty or too long */
function readFile(path: string): string {
  const text = readFileSync(path, "utf8");
  if (text.trim() === "") throw new Error(`${path} is empty`);
  if (text.length > MAX_CHARS) throw new Error(`${path} is longer than any setting`);
  return text;
}
