import type { RobotProof } from "@farline/contract/robot-check.ts";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { withProof } from "../../service/robot-check.ts";
import { classNames } from "../../ui/class-names.ts";
import * as styles from "./auth.module.css";

interface RobotCheck {
  /** Sends a form. Solves a robot challenge in the background. */
  readonly run: <Result>(send: (proof?: RobotProof) => Promise<Result>) => Promise<Result>;
  /** Whether a challenge is being solved. */
  readonly checking: boolean;
}

/** The robot check of a sign-in or sign-up form. */
export function useRobotCheck(): RobotCheck {
  const [checking, setChecking] = useState(false);
  return { run: (send) => withProof(send, setChecking), checking };
}

/** Shown below the submit button: why it takes longer. */
export function RobotCheckStatus({ checking }: Pick<RobotCheck, "checking">) {
  const { t } = useTranslation("auth");
  return (
    <p className={classNames(styles.check, "muted")} role="status">
      {checking ? t("robotCheck") : ""}
    </p>
  );
}
