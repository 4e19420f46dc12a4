import { useId } from "react";
import { leftToRight } from "../../text/left-to-right.ts";
import "../button.css";
import "./number-question.css";

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
    <div className="which" role="group" aria-labelledby={id}>
      <p id={id} className="which__ask" role="alert">
        {question}
      </p>
      <div className="which__choices">
        {choices.map(({ e164, text, country }) => (
          <button key={e164} type="button" className="btn which__one" onClick={() => onChoose(e164)}>
            <span className="fig">{leftToRight(text)}</span>
            <span className="which__country">{country}</span>
          </button>
        ))}
      </div>
    </div>
  );
}
