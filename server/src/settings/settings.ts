import type { SettingHistoryResponse, SettingResponse } from "@farline/contract/operator/business.ts";
import { settingTitle } from "@farline/contract/operator/words/setting-words.ts";
import { isWithin, type SettingDefinition, SETTINGS } from "@farline/domain/business/business-settings.ts";
import { formatDollars, fromDecimalString } from "@farline/domain/money.ts";
import { uuidv7 } from "uuidv7";
import type { Concern, Verb } from "../operator/operator.ts";
import { AppError } from "../platform/app-error.ts";
import type { Context } from "../context.ts";
import { insertValue, lockSettings, readHistory, readValues, type SettingValue } from "./settings.store.ts";
import { valuesAt } from "./current-settings.ts";

const UNITS = { dollars: "an amount in dollars", percent: "a whole number of percent", count: "a whole number" } as const;

/** Changes a setting from a time on; a second operator confirms a value beyond what one may set alone. */
const setSetting: Verb<"set-setting", SettingValue> = {
  plan: async (tx, ctx, { setting: name, value: text, from: typed, reason }) => {
    const definition = definitionOf(name);
    const value = readValue(name, text);
    if (!isWithin(value, definition.bounds)) throw outOfBounds(definition);
    const now = ctx.clock.now();
    const from = typed === null ? null : new Date(typed);
    if (from !== null && from < now)
      throw new AppError("validation_failed", { reason: "operator.setting_past", params: { time: from.toISOString() } });
    await lockSettings(tx);
    const validFrom = from ?? now;
    const before = valuesAt(await readValues(tx, validFrom), validFrom).get(name)?.value ?? definition.defaultValue;
    return {
      customerId: null,
      subject: name,
      moves: { amountMicros: 0n, customers: "everyone" },
      concerns: concernsOf(definition, before, value),
      detail: {
        before: writeValue(definition, before),
        value: writeValue(definition, value),
        starts: from?.toISOString() ?? "now",
      },
      run: async () => {
        const made = { id: uuidv7(), name, value, valid_from: validFrom, operator: ctx.actor.name, reason, created_at: now };
        await insertValue(tx, made);
        return { result: made, detail: { valid_from: validFrom.toISOString() } };
      },
    };
  },
  respond: ({ proposal }) => ({ proposal: proposal?.id ?? null }),
};

export const settingVerbs = { "set-setting": setSetting };

export { createSettings } from "./current-settings.ts";

/** All settings, by name, with their values now and those that follow. */
export async function readSettings({ handle, clock }: Context): Promise<SettingResponse[]> {
  const now = clock.now();
  const values = await readValues(handle.db, now);
  const current = valuesAt(values, now);
  return [...SETTINGS.values()].map((definition) => {
    const { name, defaultValue, alone, bounds } = definition;
    const write = (one: bigint) => writeValue(definition, one);
    const since = current.get(name);
    const next = values.filter((one) => one.name === name && one.valid_from > now).toReversed();
    return {
      name,
      value: write(since?.value ?? defaultValue),
      since: since === undefined ? null : { at: since.valid_from.toISOString(), operator: since.operator },
      default: write(defaultValue),
      alone: { min: write(alone.min), max: write(alone.max) },
      bounds: { min: write(bounds.min), max: write(bounds.max) },
      next: next.map(({ value, valid_from: from, operator }) => ({ value: write(value), from: from.toISOString(), operator })),
    };
  });
}

/** A setting's values, the latest first. @throws AppError validation_failed for an unknown setting */
export async function readSettingHistory({ handle }: Context, name: string): Promise<SettingHistoryResponse> {
  const definition = definitionOf(name);
  const { values, total } = await readHistory(handle.db, name);
  return {
    name,
    default: writeValue(definition, definition.defaultValue),
    values: values.map(({ value, valid_from: from, operator, reason }) => ({
      value: writeValue(definition, value),
      from: from.toISOString(),
      operator,
      reason,
    })),
    total,
  };
}

/** A value as operators read and type it. */
export function writeValue({ unit }: Pick<SettingDefinition, "unit">, value: bigint): string {
  if (unit === "dollars") return `$${formatDollars(value, value % 10_000n === 0n ? 2 : 6)}`;
  return unit === "percent" ? `${value} %` : String(value);
}

/** Reads a setting's value as operators write it. @throws AppError validation_failed */
export function readValue(name: string, text: string): bigint {
  const { unit } = definitionOf(name);
  const plain = text.trim().replace(/^\$/, "").replace(/\s*%$/, "");
  const value = unit === "dollars" ? readDecimal(plain) : /^\d{1,12}$/.test(plain) ? BigInt(plain) : null;
  if (value !== null) return value;
  throw new AppError("validation_failed", {
    reason: "operator.setting_value",
    params: { setting: settingTitle(name), unit: UNITS[unit] },
  });
}

function readDecimal(text: string): bigint | null {
  return /^\d{1,9}(?:\.\d{1,6})?$/.test(text) ? fromDecimalString(text) : null;
}

function concernsOf(definition: SettingDefinition, before: bigint, value: bigint): Concern[] {
  const { name, alone } = definition;
  if (isWithin(value, alone)) return [];
  const write = (one: bigint) => writeValue(definition, one);
  const text = `"${settingTitle(name)}" would change from ${write(before)} to ${write(value)}; one operator alone may set ${write(alone.min)} to ${write(alone.max)}.`;
  return [{ kind: "beyond_alone", text }];
}

/** The setting of this name. @throws AppError validation_failed */
export function definitionOf(name: string): SettingDefinition {
  const definition = SETTINGS.get(name);
  if (definition === undefined)
    throw new AppError("validation_failed", { reason: "operator.no_setting", params: { setting: name } });
  return definition;
}

/** The error for a value that is never accepted. */
export function outOfBounds(definition: SettingDefinition): AppError {
  const { name, bounds } = definition;
  const params = {
    setting: settingTitle(name),
    min: writeValue(definition, bounds.min),
    max: writeValue(definition, bounds.max),
  };
  return new AppError("validation_failed", { reason: "operator.setting_bounds", params });
}
