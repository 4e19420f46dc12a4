import type { ReactNode } from "react";
import { Card } from "../../ui/card.tsx";
import { classNames } from "../../ui/class-names.ts";
import { ConsoleBar } from "../shell/console-bar.tsx";
import { usePageTitle } from "../shell/page-title.ts";
import * as styles from "./sign-in.module.css";

/** A narrow page for signed-out operators. */
export function SignInFrame({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  usePageTitle(title);
  return (
    <>
      <ConsoleBar />
      <main className={classNames(styles.frame, "page")} id="main">
        <Card className={classNames(styles.card, "stack")}>
          <h1 className="t-card">{title}</h1>
          {children}
        </Card>
      </main>
    </>
  );
}
