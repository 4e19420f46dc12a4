import { useState } from "react";
import { readSetting, writeSetting } from "../../browser/storage.ts";

const SETTING = "tutorial";

/** Whether to show the tutorial in this browser, and a function to dismiss it. */
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
