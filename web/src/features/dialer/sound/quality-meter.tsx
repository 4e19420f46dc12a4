import { useTranslation } from "react-i18next";
import type { QualityBand } from "../../../phone/quality/call-quality.ts";
import * as styles from "../../../ui/dialling/quality-meter.module.css";

const BARS: Readonly<Record<QualityBand, number>> = { excellent: 5, good: 4, fair: 3, poor: 2, bad: 1 };

/** Call quality: five bars and a word. */
export function QualityMeter({ band }: { readonly band: QualityBand }) {
  const { t } = useTranslation("dialer");
  return (
    <span className={styles.quality} data-q={BARS[band]}>
      <span className={styles.bars} aria-hidden="true">
        <i />
        <i />
        <i />
        <i />
        <i />
      </span>
      <span>
        <span className={styles.hd}>{t("quality.prefix")} </span>
        <span>{t(`quality.${band}`)}</span>
      </span>
    </span>
  );
}
