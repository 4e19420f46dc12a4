import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { leftToRight } from "../../../text/left-to-right.ts";
import { Dialog } from "../../../ui/dialogs/dialog.tsx";
import { Button } from "../../../ui/button.tsx";
import { DeviceChoice } from "./device-choice.tsx";
import { EchoTestPanel } from "./echo-test-panel.tsx";
import { chooseKeySounds, keySoundsOn } from "./key-sounds.ts";
import { phone, phoneErrorText } from "../phone-session.ts";
import { reachRelays, type RelayTransport } from "../../../phone/line/reach-relays.ts";
import { request } from "../../../service/http.ts";
import * as styles from "./sound-dialog.module.css";

interface SoundDialogProps {
  readonly open: boolean;
  /** During a call only the devices can be selected; before one, network and line are tested too. */
  readonly inCall: boolean;
  readonly onClose: () => void;
}

/** Sound check: devices, network and a free test call. */
export default function SoundDialog({ open, inCall, onClose }: SoundDialogProps) {
  const { t } = useTranslation("dialer-parts");
  const close = (): void => {
    phone.dismissEchoTest();
    onClose();
  };
  return (
    <Dialog
      open={open}
      onClose={close}
      title={t(inCall ? "sound.titleInCall" : "sound.title")}
      foot={
        <Button pair="action" onClick={close}>
          {t("sound.close")}
        </Button>
      }
    >
      <div className={styles.sound}>
        <section className={styles.part} aria-label={t("sound.microphone")}>
          <DeviceChoice inCall={inCall} />
          <KeySoundsChoice />
        </section>
        {!inCall && (
          <>
            <Network />
            <EchoTestPanel />
          </>
        )}
      </div>
    </Dialog>
  );
}

function KeySoundsChoice() {
  const { t } = useTranslation("dialer-parts");
  const [on, setOn] = useState(keySoundsOn);
  return (
    <label className={styles.tick}>
      <input
        type="checkbox"
        checked={on}
        onChange={(event) => {
          setOn(event.target.checked);
          chooseKeySounds(event.target.checked);
        }}
      />
      <span>{t("sound.keys")}</span>
    </label>
  );
}

function Network() {
  const { t } = useTranslation("dialer-parts");
  const check = useNetworkCheck();
  return (
    <section className={styles.part} aria-label={t("sound.network.title")}>
      <h3 className="t-sub">{t("sound.network.title")}</h3>
      <p role="status">
        {check.state === "good" || check.state === "slow"
          ? t(`sound.network.${check.state}`, { ms: check.answerMs })
          : check.state === "refused"
            ? check.reason
            : t(`sound.network.${check.state}`)}
      </p>
      {(check.state === "good" || check.state === "slow") && check.relays !== null && <Relays relays={check.relays} />}
    </section>
  );
}

function Relays({ relays }: { readonly relays: NonNullable<RelayCheck> }) {
  const { t } = useTranslation("dialer-parts");
  return (
    <p role="status">
      {relays === "checking"
        ? t("sound.network.relay.checking")
        : relays.length === 0
          ? t("sound.network.relay.none")
          : t("sound.network.relay.reached", { ways: leftToRight(relays.map((way) => way.toUpperCase()).join(", ")) })}
    </p>
  );
}

/** Above this delay, speakers start to talk over each other (ITU-T G.114: 150 ms one way). */
const SLOW_MS = 300;
const TRIES = 3;

type NetworkCheck =
  | { readonly state: "checking" }
  /** Milliseconds for a request to the service and its answer, best of three. */
  | { readonly state: "good" | "slow"; readonly answerMs: number; readonly relays: RelayCheck }
  /** The service responds, the voice provider does not. */
  | { readonly state: "noLine" }
  /** The service does not open the line, for example for a locked account. Nothing is wrong with the network. */
  | { readonly state: "refused"; readonly reason: string }
  | { readonly state: "none" };

/** Transports to a relay, for networks that block direct media; null if the provider has no relays. */
type RelayCheck = "checking" | readonly RelayTransport[] | null;

/** Sends requests to the service, opens the phone line and tries the relays, once. The free test call tests the sound. */
function useNetworkCheck(): NetworkCheck {
  const [check, setCheck] = useState<NetworkCheck>({ state: "checking" });
  useEffect(() => {
    let gone = false;
    const run = async (): Promise<void> => {
      const result = await checkNetwork();
      if (!gone) setCheck(result);
      if (gone || (result.state !== "good" && result.state !== "slow")) return;
      const relays = await reachRelays(phone.relays);
      if (!gone) setCheck({ ...result, relays });
    };
    void run();
    return () => {
      gone = true;
    };
  }, []);
  return check;
}

async function checkNetwork(): Promise<NetworkCheck> {
  try {
    const answerMs = await bestAnswerMs();
    await phone.prepare();
    const { line, lineError, rejoinable, elsewhere, obstacle } = phone.state;
    // While a call runs elsewhere, without credit or where calls cannot work, the line stays closed.
    const closedOnPurpose =
      obstacle !== null || rejoinable !== null || elsewhere !== null || lineError?.serviceCode === "no_credit";
    if (line !== "ready" && !closedOnPurpose)
      return lineError?.serviceCode ? { state: "refused", reason: phoneErrorText(lineError) } : { state: "noLine" };
    return { state: answerMs > SLOW_MS ? "slow" : "good", answerMs, relays: phone.relays.length === 0 ? null : "checking" };
  } catch {
    return { state: "none" };
  }
}

async function bestAnswerMs(): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const askedAtMs = performance.now();
    await request("GET /api/config");
    best = Math.min(best, performance.now() - askedAtMs);
  }
  return Math.round(best);
}
