import { existsSync, readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { settings } from "@farline/contract/settings/settings.ts";
import { SettingsError } from "./settings.ts";

/** In the folder of the installation; the command that starts this one reads it. */
export const ENV_FILE = ".env";

/** Names that others read from the same file: Node, npm, the C library and proxies' clients. */
const OTHERS = /^(?:NODE_|npm_|LC_|LANG$|TZ$|PATH$|HOME$|(?:HTTPS?|NO|ALL)_PROXY$)/i;
const BYTE_ORDER_MARK = "\uFEFF";

/**
 * Names in an environment file that nobody reads, one sentence each: a misspelt setting would otherwise be ignored silently.
 * @throws SettingsError if a byte order mark hides the first setting
 */
export function unreadNames(file: string): string[] {
  if (!existsSync(file)) return [];
  const text = readFileSync(file, "utf8");
  if (text.startsWith(BYTE_ORDER_MARK))
    throw new SettingsError(
      `${file} begins with a byte order mark, which hides its first setting: save it as UTF-8 without one.`,
    );
  return Object.keys(parseEnv(text))
    .filter((name) => !Object.hasOwn(settings, name.replace(/_FILE$/, "")) && !OTHERS.test(name))
    .map((name) => `${file} sets ${name}, which is not a setting and has no effect: docs/settings.md lists them all.`);
}
