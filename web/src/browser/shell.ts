import { createContext, useContext } from "react";

/** True in the pages that the build draws without data. The service sends them until the app has loaded. */
export const ShellContext = createContext(false);

/** For controls that do nothing before the app has loaded: inert in a page drawn by the build. */
export function useShell(): boolean {
  return useContext(ShellContext);
}
