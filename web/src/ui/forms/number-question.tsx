import { useId } from "react";
import { classNames } from "../class-names.ts";
import * as styles from "./field.module.css";
import * as buttonStyles from "../button.module.css";
import { leftToRight } from "../../text/i18n.ts";

interface NumberQuestionProps {
  readonly question: string;
  /** `text` is the formatted number, `country` the country's name in the reader's language. */
  readonly choices: readonly { readonly e164: string; readonly text: string; readonly country: string }[];
  readonly onChoose: (e164: string) => void;
}

/** Asks which of several numbers is meant, with a button for each. */
export function NumberQuestion({ question, choices, onChoose }: NumberQuestionProps) {
  const id = useId();
  return (
    <div className={styles.which} role="group" aria-labelledby={id}>
      <p id={id} className={styles.ask} role="alert">
        {question}
      </p>
      <div className={styles.choices}>
        {choices.map(({ e164, text, country }) => (
          <button key={e164} type="button" className={classNames(buttonStyles.btn, styles.one)} onClick={() => onChoose(e164)}>
            <span className="fig">{leftToRight(text)}</span>
            <span className={styles.country}>{country}</span>
          </button>
        ))}
      </div>
    </div>
  );
}
