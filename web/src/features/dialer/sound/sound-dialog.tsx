import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { IconPhoneFilled } from "@tabler/icons-react";
import * as styles from "../dialer-parts.module.css";
import { formatCount } from "../../../text/format.ts";
import { Dialog } from "../../../ui/dialogs/dialog.tsx";
import { Button, Spinner } from "../../../ui/button.tsx";
import { DeviceChoice } from "./device-choice.tsx";
import { chooseKeySounds, keySoundsOn } from "./key-sounds.ts";
import { phone, phoneErrorText, usePhone } from "../phone-session.ts";
import { reachRelays, type RelayTransport } from "../../../phone/line/reach-relays.ts";
import { request } from "../../../service/http.ts";
import { qualityBand } from "../../../phone/quality/call-quality.ts";
import type { MediaPath } from "../../../phone/line/media-path.ts";
import { EchoController } from "../../../phone/echo/echo-controller.ts";
import type { EchoTest, EchoTestResult } from "../../../phone/echo/echo-test.ts";
import { Banner } from "../../../ui/messages/banner.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { leftToRight } from "../../../text/i18n.ts";

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
          ? t(`sound.network.${check.state}`, { ms: check.responseMs })
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
  /** Milliseconds for a request to the service and its response, best of three. */
  | { readonly state: "good" | "slow"; readonly responseMs: number; readonly relays: RelayCheck }
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
    const responseMs = await bestResponseMs();
    await phone.prepare();
    const { line, lineError, rejoinable, elsewhere, obstacle } = phone.state;
    // While a call runs elsewhere, without credit or where calls cannot work, the line stays closed.
    const closedOnPurpose =
      obstacle !== null || rejoinable !== null || elsewhere !== null || lineError?.serviceCode === "no_credit";
    if (line !== "ready" && !closedOnPurpose)
      return lineError?.serviceCode ? { state: "refused", reason: phoneErrorText(lineError) } : { state: "noLine" };
    return { state: responseMs > SLOW_MS ? "slow" : "good", responseMs, relays: phone.relays.length === 0 ? null : "checking" };
  } catch {
    return { state: "none" };
  }
}

async function bestResponseMs(): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const askedAtMs = performance.now();
    await request("GET /api/config");
    best = Math.min(best, performance.now() - askedAtMs);
  }
  return Math.round(best);
}

/** Below this level, speech is unintelligible to the other side. */
const FAINTEST_VOICE = 0.2;

/** The free test call: takes the same path as a call, and reports what came back. */
export function EchoTestPanel() {
  const { t } = useTranslation("dialer-parts");
  const { echoTest, soundPaused, obstacle } = usePhone();
  const running = echoTest !== null && echoTest.status !== "done" && echoTest.status !== "failed";
  return (
    <section className={styles.part} aria-label={t("sound.echo.title")}>
      <h3 className="t-sub">{t("sound.echo.title")}</h3>
      {echoTest === null && <p className="muted">{t("sound.echo.text")}</p>}
      <div role="status">{echoTest !== null && <Progress test={echoTest} soundPaused={soundPaused} />}</div>
      {echoTest?.result && <Facts result={echoTest.result} />}
      {running ? (
        <Button onClick={() => phone.dismissEchoTest()}>{t("sound.echo.stop")}</Button>
      ) : (
        <Button disabled={obstacle !== null} onClick={() => phone.startEchoTest((deps) => new EchoController(deps))}>
          <Icon of={IconPhoneFilled} />
          <span>{t(echoTest === null ? "sound.echo.start" : "sound.echo.again")}</span>
        </Button>
      )}
    </section>
  );
}

function Progress({ test, soundPaused }: { readonly test: EchoTest; readonly soundPaused: boolean }) {
  const { t } = useTranslation("dialer-parts");
  if (test.status === "failed")
    return <Banner kind="error">{test.error === null ? t("sound.echo.failed") : phoneErrorText(test.error)}</Banner>;
  if (test.status === "done") return test.result === null ? null : <Verdict result={test.result} />;
  if (soundPaused) return <Banner kind="warn">{t("sound.paused")}</Banner>;
  return (
    <p className="row">
      <Spinner />
      <span>{t(`sound.echo.status.${test.status}`)}</span>
    </p>
  );
}

function Verdict({ result }: { readonly result: EchoTestResult }) {
  const { t } = useTranslation("dialer-parts");
  if (result.path === "none") return <Banner kind="error">{t("sound.echo.blocked")}</Banner>;
  if (!result.heard) return <Banner kind="warn">{t("sound.echo.silent")}</Banner>;
  if (result.voiceLevel < FAINTEST_VOICE) return <Banner kind="warn">{t("sound.echo.mute")}</Banner>;
  const good = result.mos === null || ["excellent", "good"].includes(qualityBand(result.mos));
  return <Banner kind="info">{t(good ? "sound.echo.good" : "sound.echo.weak")}</Banner>;
}

/** "−3", "0", "2". */
function decibels(level: number): string {
  const rounded = Math.round(level);
  return rounded < 0 ? `\u2212${-rounded}` : String(Math.abs(rounded));
}

function Facts({ result: { roundTripMs, lossPct, mos, levelDb, path } }: { readonly result: EchoTestResult }) {
  const { t } = useTranslation(["dialer-parts", "dialer"]);
  const pathText = (way: Exclude<MediaPath, "none">): string => {
    if (way === "direct" || way === "relay") return t(`sound.echo.paths.${way}`);
    return t("sound.echo.paths.relayBy", { way: leftToRight(way.toUpperCase()) });
  };
  const facts = [
    mos === null ? null : [t("sound.echo.quality"), t(`dialer:quality.${qualityBand(mos)}`)],
    roundTripMs === null ? null : [t("sound.echo.delay"), t("sound.echo.ms", { ms: formatCount(Math.round(roundTripMs)) })],
    lossPct === null ? null : [t("sound.echo.loss"), t("sound.echo.percent", { percent: lossPct.toFixed(1) })],
    levelDb === null ? null : [t("sound.echo.level"), t("sound.echo.db", { db: leftToRight(decibels(levelDb)) })],
    path === null || path === "none" ? null : [t("sound.echo.path"), pathText(path)],
  ].filter((fact) => fact !== null);
  if (facts.length === 0) return null;
  return (
    <dl className={styles.soundFacts}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
