import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button, buttonClass } from "../../../ui/button.tsx";
import { adviceFor, type CallTrouble, readPlace } from "./caller-place.ts";
import * as styles from "../dialer-parts.module.css";
import { leftToRight } from "../../../text/i18n.ts";
import { dialerPath } from "@farline/contract/constants.ts";
import { behindNumber } from "@farline/domain/numbers/extension.ts";
import { dialerAddress } from "../../../session/requested-call.ts";
import type { PhoneError } from "../../../phone/phone-error.ts";
import type { PhoneState } from "../../../phone/phone-state.ts";
import type { NumberEntry } from "../number/use-number-entry.ts";
import { usePhone } from "../phone-session.ts";

interface CallAdviceProps {
  readonly of: CallTrouble;
  /** The path to open elsewhere; the number goes with it. */
  readonly path: string;
}

/** What to do in this browser where no call can work, or where the microphone was refused. */
export function CallAdvice({ of, path }: CallAdviceProps) {
  const { t } = useTranslation("dialer-parts");
  const place = readPlace({
    userAgent: navigator.userAgent,
    touchPoints: navigator.maxTouchPoints,
    isInstalled: isInstalled(),
  });
  const advice = adviceFor(of, place);
  const address = location.origin + path;
  return (
    <div className={styles.advice}>
      <p>
        {t(advice.text, {
          app: place.app || t("cannotCall.thisApp"),
          browser: place.browser ?? t("cannotCall.thisBrowser"),
          scheme: leftToRight("https://"),
        })}
      </p>
      {"actions" in advice && advice.actions.length > 0 && (
        <div className={styles.adviceActions}>
          {advice.actions.includes("browser") && (
            <a className={buttonClass({ pair: "action", size: "sm" }, styles.action)} href={intentTo(address)}>
              {t("cannotCall.open")}
            </a>
          )}
          {advice.actions.includes("tab") && (
            <a
              className={buttonClass({ pair: "action", size: "sm" }, styles.action)}
              href={address}
              target="_blank"
              rel="noreferrer"
            >
              {t("cannotCall.openTab")}
            </a>
          )}
          {advice.actions.includes("copy") && <CopyButton address={address} />}
        </div>
      )}
    </div>
  );
}

/** Copies the address; where the browser refuses that too, shows it to be copied by hand. */
function CopyButton({ address }: { readonly address: string }) {
  const { t } = useTranslation("dialer-parts");
  const [state, setState] = useState<"asked" | "copied" | "refused">("asked");
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(address);
      setState("copied");
    } catch {
      setState("refused");
    }
  };
  if (state === "refused")
    return (
      <span className={styles.address} dir="ltr">
        {address}
      </span>
    );
  return (
    <Button size="sm" className={styles.action} onClick={() => void copy()}>
      {t(state === "copied" ? "cannotCall.copied" : "cannotCall.copy")}
    </Button>
  );
}

/** Opened from the home screen. iOS says so only by its own property. */
function isInstalled(): boolean {
  return "standalone" in navigator && navigator.standalone === true ? true : matchMedia("(display-mode: standalone)").matches;
}

/** Opens an address in Android's browser from inside an app (developer.chrome.com, "Android Intents with Chrome"). */
function intentTo(address: string): string {
  const { protocol, host, pathname, search } = new URL(address);
  return `intent://${host}${pathname}${search}#Intent;scheme=${protocol.slice(0, -1)};action=android.intent.action.VIEW;end`;
}

interface FailureAdviceProps {
  readonly error: PhoneError;
  /** The number to take along to another browser. */
  readonly entry?: NumberEntry | undefined;
}

/** What to do about a failure that has its cause in the browser or the system. */
export function FailureAdvice({ error, entry }: FailureAdviceProps) {
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
  return dialerAddress(number.e164 + behindNumber(extension.text ?? ""), name);
}
