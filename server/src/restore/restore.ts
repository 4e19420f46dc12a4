export { beginRestore } from "./begin-restore.ts";
export { checkRestore, type RestoreCheck } from "./check-restore.ts";
export { refuseWhileClosed, requireOpenDoors, watchDoors, type Doors } from "./doors.ts";
export { openDoors } from "./open-doors.ts";
