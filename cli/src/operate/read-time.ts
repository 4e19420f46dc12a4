import { CommandError } from "./installation.ts";

const ISO = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)(Z|[+-]\d{2}:\d{2})?)?$/;

/**
 * Parses an ISO 8601 time; without an offset it is UTC, whatever the machine's time zone.
 * @throws CommandError for anything else, including dates that do not exist
 */
export function readTime(option: string, text: string): Date {
  const match = ISO.exec(text.trim());
  const [, day = "", clock = "00:00", zone = "Z"] = match ?? [];
  const start = new Date(`${day}T00:00:00Z`);
  const at = new Date(`${day}T${clock}${zone}`);
  const isDay = !Number.isNaN(start.getTime()) && start.toISOString().startsWith(day);
  if (match === null || !isDay || Number.isNaN(at.getTime()))
    throw new CommandError(`${option} is a time like 2026-12-01 or 2026-12-01T08:00:00Z.`);
  return at;
}
