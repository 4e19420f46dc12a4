import { existsSync, readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { settings } from "@farline/contract/settings/settings.ts";
import { SettingsError } from "./settings.ts";

/** In the folder of the installation; the command that starts this one reads it. */
export const ENV_FILE = ".env";

/** Names that others read from the same file: Node, npm, the C library and proxies' clients. */
const OTHERS = /^(?:NODE_|npm_|LC_|LANG$|TZ$|PATH$|HOME$|(?:HTTPS?|NO|ALL)_PROXY$)/i;
const BYTE_ORDER_MARK = "\uFEFF";

/** Node takes # in a value without quotes for the start of a comment, even without a space before it. */
const CUT_VALUE = /^[ \t]*(?:export[ \t]+)?(\w+)[ \t]*=[ \t]*[^\s"'`#](?:[^\n#]*[^\s#])?#/gm;

/**
 * What in an environment file has no effect, one sentence each: names that nobody reads, such as a misspelt setting, and ends of values.
 * @throws SettingsError if a byte order mark hides the first setting
 */
export function envFileWarnings(file: string): string[] {
  if (!existsSync(file)) return [];
  const text = readFileSync(file, "utf8");
  if (text.startsWith(BYTE_ORDER_MARK))
    throw new SettingsError(
      `${file} begins with a byte order mark, which hides its first setting: save it as UTF-8 without one.`,
    );
  const cut = Array.from(
    text.matchAll(CUT_VALUE),
    ([, name]) => `${file} sets ${name} only up to its #: put the value in quotes.`,
  );
  const unread = Object.keys(parseEnv(text))
    .filter((name) => !Object.hasOwn(settings, name.replace(/_FILE$/, "")) && !OTHERS.test(name))
    .map((name) => `${file} sets ${name}, which is not a setting and has no effect: docs/settings.md lists them all.`);
  return [...unread, ...cut];
}
