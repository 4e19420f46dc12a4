import { dialerPath } from "@farline/contract/constants.ts";
import { dialerAddress } from "../../../session/requested-call.ts";
import type { PhoneError } from "../../../phone/phone-error.ts";
import type { PhoneState } from "../../../phone/phone-state.ts";
import type { NumberEntry } from "../number/use-number-entry.ts";
import { usePhone } from "../phone-session.ts";
import { CallAdvice } from "./call-advice.tsx";
import type { CallTrouble } from "./caller-place.ts";

export interface FailureAdviceProps {
  readonly error: PhoneError;
  /** The number to take along to another browser. */
  readonly entry?: NumberEntry | undefined;
}

/** What to do about a failure that has its cause in the browser or the system. */
export default function FailureAdvice({ error, entry }: FailureAdviceProps) {
  const trouble = callTrouble(error, usePhone());
  return trouble === null ? null : <CallAdvice of={trouble} path={entry === undefined ? dialerPath : pathTo(entry)} />;
}

function callTrouble({ code, cause }: PhoneError, { obstacle, microphonePermission }: PhoneState): CallTrouble | null {
  if (code === "cannot_call") return obstacle;
  if (code !== "microphone_denied") return null;
  // Chromium says so; in the others the page's own permission is in order.
  const isSystem = microphonePermission === "granted" || (cause instanceof Error && /system/i.test(cause.message));
  return isSystem ? "denied_by_system" : "denied";
}

function pathTo({ number, name, extension }: NumberEntry): string {
  if (number?.ok !== true) return dialerPath;
  return dialerAddress(number.e164 + (extension.text ? `,${extension.text}` : ""), name);
}
