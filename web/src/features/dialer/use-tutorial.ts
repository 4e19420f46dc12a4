import { useState } from "react";
import { readSetting, writeSetting } from "../../browser/setting.ts";

const SETTING = "tutorial";

/** Whether the first steps are still to be shown in this browser, and the way to be done with them. */
export function useTutorial(): { wanted: boolean; finish: () => void } {
  const [wanted, setWanted] = useState(() => readSetting(SETTING) === null);
  return {
    wanted,
    finish() {
      writeSetting(SETTING, "done");
      setWanted(false);
    },
  };
}
