import { exchange, wiring } from "./exchange-settings.ts";
import { installation, sandbox } from "./installation-settings.ts";
import { payments, people, voice } from "./provider-settings.ts";
import { selling } from "./selling-settings.ts";
import type { Setting } from "./setting.ts";

/** Every setting, by its heading in the reference. */
export const settingGroups = {
  Installation: installation,
  Payments: payments,
  Voice: voice,
  "Built-in exchange": exchange,
  "Sign-in, mail and contact": people,
  "Seller and offers": selling,
  Sandbox: sandbox,
  "Wiring that npm start assigns": wiring,
} as const satisfies Record<string, Record<string, Setting>>;

/** Every setting of the programs: source of `.env.example`, `docs/settings.md` and the values `npm start` passes on. */
export const settings = {
  ...installation,
  ...payments,
  ...voice,
  ...exchange,
  ...people,
  ...selling,
  ...sandbox,
  ...wiring,
} as const;

export type Settings = typeof settings;
export type SettingName = keyof Settings;
