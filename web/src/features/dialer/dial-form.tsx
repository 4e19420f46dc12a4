import { IconBackspace, IconPhoneFilled, IconX } from "@tabler/icons-react";
import { type FormEvent, type KeyboardEvent, type RefObject, useEffect, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { usePhoneText } from "../../lib/phone-text.ts";
import { useOnline } from "../../lib/use-online.ts";
import type { PhoneState } from "../../phone/phone-state.ts";
import { Icon } from "../../ui/icon.tsx";
import { Key } from "../../ui/key.tsx";
import { toast } from "../../ui/toast.ts";
import { DialKeys, keepFocus } from "./dial-keys.tsx";
import { significantPart } from "./edit-number.ts";
import { NumberField } from "./number-field.tsx";
import { phone } from "./phone-session.ts";
import { RateBadge } from "./rate-badge.tsx";
import { useLongPress } from "./use-long-press.ts";
import type { NumberEntry } from "./use-number-entry.ts";
import { useNumberProblem } from "./use-number-problem.ts";
import { usePadKeyboard } from "./use-pad-keyboard.ts";

interface DialFormProps {
  readonly state: PhoneState;
  readonly entry: NumberEntry;
  readonly callKey: RefObject<HTMLButtonElement | null>;
}

/** Number, price, pad and the green key. */
export function DialForm({ state, entry, callKey }: DialFormProps) {
  const { t } = useTranslation("dialer");
  const write = usePhoneText();
  const online = useOnline();
  const id = useId();
  const [refused, setRefused] = useState(false);
  const problem = useNumberProblem(entry, refused);
  const empty = significantPart(entry.text) === "";
  const calling = state.status !== "idle";
  useEffect(() => setRefused(false), [entry.text, entry.countryCode]);
  usePadKeyboard({ onKey: entry.press, onDelete: entry.deleteLast });

  const dial = (): void => {
    const { number } = entry;
    if (empty) return toast.warning(t("problem.empty"));
    if (number !== null && !number.ok) return setRefused(true);
    const wanted = number === null ? entry.text : number.e164;
    toast.info(t("toast.calling", { number: write(wanted) }));
    phone.dial({ number: wanted, countryCode: number === null ? entry.countryCode : number.countryCode });
  };
  return (
    <form
      className="dial"
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        if (!calling && online) dial();
      }}
      // A disabled key keeps Enter from sending the form, but the caller should hear why nothing happens.
      onKeyDown={(event: KeyboardEvent) => {
        if (event.key === "Enter" && empty && event.target === entry.input.current) dial();
      }}
    >
      <NumberField entry={entry} problemId={problem === null ? undefined : `${id}-problem`} />
      {problem !== null && (
        <p className="error" id={`${id}-problem`} role="alert">
          {problem}
        </p>
      )}
      <RateBadge entry={entry} />
      <DialKeys plus onKey={entry.press} />
      <div className="dial__actions">
        <Key className="dial__side" onMouseDown={keepFocus} onClick={entry.clear}>
          <Icon of={IconX} />
          {t("clear")}
        </Key>
        <Key ref={callKey} pair="call" size="lg" type="submit" disabled={(empty && !calling) || !online} busy={calling}>
          {!calling && <Icon of={IconPhoneFilled} />}
          {calling ? t("calling") : t("callNow")}
        </Key>
        <DeleteKey entry={entry} />
      </div>
      {!online && <p className="hint dial__why">{t("offline")}</p>}
    </form>
  );
}

/** Takes the last digit; held, the whole number. */
function DeleteKey({ entry }: { readonly entry: NumberEntry }) {
  const { t } = useTranslation("dialer");
  return (
    <button type="button" className="btn dial__side" onMouseDown={keepFocus} {...useLongPress(entry.deleteLast, entry.clear)}>
      <Icon of={IconBackspace} />
      {t("delete")}
    </button>
  );
}
