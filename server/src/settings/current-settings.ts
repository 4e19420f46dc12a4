import { isWithin, SETTINGS, withValues, type BusinessSettings } from "@farline/domain/business/business-settings.ts";
import type { Logger } from "pino";
import type { Clock } from "../platform/clock.ts";
import type { Database } from "../platform/database/database.ts";
import { readValues, type SettingValue } from "./settings.store.ts";

const REFRESH_EVERY_MS = 60_000;

/** The settings that operators change while the service runs. */
export interface CurrentSettings {
  /** The settings at a time, which is now by default. Changes are known within a minute. */
  current(at?: Date): BusinessSettings;
  /** Reads the table now. Also happens once a minute. */
  refresh(): Promise<void>;
  close(): void;
}

/** Reads the settings. If they cannot be read later, the latest known ones still apply. */
export async function createSettings(ctx: { db: Database; clock: Clock; log: Logger }): Promise<CurrentSettings> {
  const { db, clock, log } = ctx;
  let values: readonly SettingValue[] = [];
  let known: { readonly key: string; readonly settings: BusinessSettings } | null = null;
  const refresh = async () => {
    values = (await readValues(db, clock.now())).filter((value) => isUsable(value, log));
  };
  await refresh();
  const timer = setInterval(() => {
    refresh().catch((error: unknown) => log.warn({ err: error }, "could not read the settings"));
  }, REFRESH_EVERY_MS);
  return {
    current(at = clock.now()) {
      const applied = valuesAt(values, at);
      const key = [...applied.values()].map(({ id }) => id).join(" ");
      if (known?.key !== key)
        known = { key, settings: withValues(new Map([...applied].map(([name, { value }]) => [name, value]))) };
      return known.settings;
    },
    refresh,
    close: () => clearInterval(timer),
  };
}

/** The value of each setting at a time, by name, of values ordered from the latest. */
export function valuesAt(values: readonly SettingValue[], at: Date): Map<string, SettingValue> {
  const found = new Map<string, SettingValue>();
  for (const value of values) if (value.valid_from <= at && !found.has(value.name)) found.set(value.name, value);
  return found;
}

/** A release may remove a setting or narrow its bounds; then its default counts. */
function isUsable({ name, value }: SettingValue, log: Logger): boolean {
  const definition = SETTINGS.get(name);
  if (definition !== undefined && isWithin(value, definition.bounds)) return true;
  log.error({ setting: name, value: String(value) }, "this setting is unknown or out of bounds, so its default applies");
  return false;
}
