import type { ReactElement, ReactNode } from "react";
import { NavLink } from "react-router";
import mark from "../../assets/mark-yellow.svg";
import { Button } from "../../ui/button.tsx";
import { classNames } from "../../ui/class-names.ts";
import { consolePages } from "../console-pages.ts";
import { consoleRequest } from "../console-request.ts";
import { useConsoleSession, useSignedIn } from "../console-session.tsx";
import { useSearchKey } from "../lookup/use-search-key.ts";
import { useQueueCounts } from "../queue/queue-kinds.ts";
import * as styles from "../console.module.css";

const QUEUE = "/operator/queue";

/** The bar and navigation around every page of the console. */
export function ConsoleShell({ children }: { readonly children: ReactNode }) {
  const { rights } = useConsoleSession();
  const waiting = useQueueCounts().reduce((sum, one) => sum + one.waiting, 0);
  useSearchKey();
  return (
    <>
      <a className="skip" href="#main">
        Skip to content
      </a>
      <ConsoleBar aside={<Who />}>
        <nav className={classNames(styles.nav, "page")} aria-label="Console">
          {consolePages
            .filter(({ right, title }) => title !== null && rights.includes(right))
            .map(({ path, title }) => (
              <NavLink key={path} className={styles.link} to={path}>
                {path === QUEUE && waiting > 0 ? `${title} (${waiting})` : title}
              </NavLink>
            ))}
        </nav>
      </ConsoleBar>
      <main className="page main" id="main">
        {children}
      </main>
    </>
  );
}

function Who() {
  const { operator } = useConsoleSession();
  const signedIn = useSignedIn();
  const signOut = async () => {
    await consoleRequest("POST /api/operator/sign-out").catch(() => undefined);
    signedIn(null);
  };
  return (
    <div className={styles.who}>
      <strong>{operator.name}</strong>
      <span className={styles.role}>{operator.role}</span>
      <Button size="sm" onClick={() => void signOut()}>
        Sign out
      </Button>
    </div>
  );
}

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
