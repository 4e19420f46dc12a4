import type { MouseEvent } from "react";
import { useTranslation } from "react-i18next";
import { useLongPress } from "./use-long-press.ts";
import { classNames } from "../../../ui/class-names.ts";
import * as styles from "../../../ui/dialling/dial-keys.module.css";

const KEYS = [
  ["1", ""],
  ["2", "ABC"],
  ["3", "DEF"],
  ["4", "GHI"],
  ["5", "JKL"],
  ["6", "MNO"],
  ["7", "PQRS"],
  ["8", "TUV"],
  ["9", "WXYZ"],
  ["*", ""],
  ["0", ""],
  ["#", ""],
] as const;

interface DialKeysProps {
  readonly onKey: (key: string) => void;
  /** A long press on 0 enters a plus, except during a call. */
  readonly plus?: boolean;
}

/** The twelve keys of the pad. */
export function DialKeys({ onKey, plus = false }: DialKeysProps) {
  const { t } = useTranslation("dialer");
  return (
    <div className={styles.keys} role="group" aria-label={t("keys")} dir="ltr">
      {KEYS.map(([digit, letters]) => (
        <DialKey
          key={digit}
          digit={digit}
          letters={digit === "0" && plus ? "+" : letters}
          onKey={onKey}
          holdKey={digit === "0" && plus ? "+" : undefined}
        />
      ))}
    </div>
  );
}

interface DialKeyProps {
  readonly digit: string;
  readonly letters: string;
  readonly onKey: (key: string) => void;
  readonly holdKey: string | undefined;
}

function DialKey({ digit, letters, onKey, holdKey }: DialKeyProps) {
  const { t } = useTranslation("dialer");
  const press = useLongPress(() => onKey(digit), holdKey === undefined ? undefined : () => onKey(holdKey));
  const symbol = digit === "*" ? t("star") : digit === "#" ? t("hash") : undefined;
  return (
    <button
      type="button"
      className={symbol === undefined ? styles.key : classNames(styles.key, styles.sym)}
      aria-label={symbol}
      onMouseDown={keepFocus}
      {...press}
    >
      <b>{digit}</b>
      {symbol === undefined && <small aria-hidden="true">{letters === "" ? "\u00a0" : letters}</small>}
    </button>
  );
}

/** Keep the caret in the number field while the pad is pressed. */
export function keepFocus(event: MouseEvent): void {
  event.preventDefault();
}
