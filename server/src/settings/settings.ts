export {
  definitionOf,
  outOfBounds,
  readValue,
  readSettingHistory,
  readSettings,
  settingVerbs,
  writeValue,
} from "./change-setting.ts";
export { createSettings, type CurrentSettings } from "./current-settings.ts";
export type { SettingValue } from "./settings.store.ts";
