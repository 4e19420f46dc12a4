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
 * What an environment file sets that nobody reads, one sentence a name: a slip in a name would otherwise change nothing, without a word.
 * @throws SettingsError if the file's first name cannot be read
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
    .map((name) => `${file} sets ${name}, which is no setting and changes nothing: docs/settings.md lists them all.`);
}
