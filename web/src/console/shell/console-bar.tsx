import type { ReactElement } from "react";
import mark from "../../assets/mark-yellow.svg";
import { classNames } from "../../ui/class-names.ts";
import * as styles from "./console-shell.module.css";

interface ConsoleBarProps {
  /** At the end of the bar. */
  readonly aside?: ReactElement;
  /** Below the bar: the navigation. */
  readonly children?: ReactElement;
}

/** The dark bar at the top of the console. */
export function ConsoleBar({ aside, children }: ConsoleBarProps) {
  return (
    <header className={classNames(styles.bar, "on-panel")}>
      <div className={classNames(styles.barIn, "page")}>
        <span className="brand">
          <img src={mark} alt="" width="36" height="36" />
          <span>Farline</span>
        </span>
        {aside}
      </div>
      {children}
    </header>
  );
}
