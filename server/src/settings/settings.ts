export {
  definitionOf,
  listSettings,
  outOfBounds,
  readValue,
  settingHistory,
  settingVerbs,
  writeValue,
  type PresentedSetting,
} from "./change-setting.ts";
export { createSettings, type SettingsInForce } from "./settings-in-force.ts";
export type { SettingValue } from "./settings.store.ts";
