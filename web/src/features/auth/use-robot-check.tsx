import type { RobotProof } from "@farline/contract/robot-check.ts";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { withProof } from "../../service/robot-check.ts";
import "./auth-frame.css";

interface RobotCheck {
  /** Sends a form. Solves a robot challenge in the background and shows why it takes longer. */
  readonly run: <Result>(send: (proof?: RobotProof) => Promise<Result>) => Promise<Result>;
  /** Shown below the submit button. */
  readonly status: ReactNode;
}

/** The robot check of a sign-in or sign-up form. */
export function useRobotCheck(): RobotCheck {
  const { t } = useTranslation("auth");
  const [checking, setChecking] = useState(false);
  return {
    run: (send) => withProof(send, setChecking),
    status: (
      <p className="auth__check muted" role="status">
        {checking ? t("robotCheck") : ""}
      </p>
    ),
  };
}
