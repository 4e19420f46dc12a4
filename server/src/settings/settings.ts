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
export { createSettings, type CurrentSettings } from "./current-settings.ts";
export type { SettingValue } from "./settings.store.ts";
