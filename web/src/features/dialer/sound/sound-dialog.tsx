import { useState } from "react";
import { useTranslation } from "react-i18next";
import { leftToRight } from "../../../text/left-to-right.ts";
import { Dialog } from "../../../ui/dialogs/dialog.tsx";
import { Button } from "../../../ui/button.tsx";
import { DeviceChoice } from "./device-choice.tsx";
import { EchoTestPanel } from "./echo-test-panel.tsx";
import { chooseKeySounds, keySoundsOn } from "./key-sounds.ts";
import { phone } from "../phone-session.ts";
import { useNetworkCheck, type RelayCheck } from "./use-network-check.ts";
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
