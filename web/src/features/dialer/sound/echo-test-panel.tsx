import { IconPhoneFilled } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { formatCount } from "../../../text/format.ts";
import { leftToRight } from "../../../text/left-to-right.ts";
import { qualityBand } from "../../../phone/quality/call-quality.ts";
import type { MediaPath } from "../../../phone/line/media-path.ts";
import { EchoStudio } from "../../../phone/echo/echo-studio.ts";
import type { EchoTest, EchoTestResult } from "../../../phone/echo/echo-test.ts";
import { Banner } from "../../../ui/messages/banner.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { Button } from "../../../ui/button.tsx";
import { Spinner } from "../../../ui/waiting/spinner.tsx";
import { phone, phoneErrorText, usePhone } from "../phone-session.ts";
import * as styles from "./sound-dialog.module.css";

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
        <Button disabled={obstacle !== null} onClick={() => phone.startEchoTest((watch) => new EchoStudio(watch))}>
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
    <dl className={styles.facts}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
