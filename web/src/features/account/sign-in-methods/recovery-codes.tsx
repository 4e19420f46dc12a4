import { IconCopy, IconDownload } from "@tabler/icons-react";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { saveFile } from "../../../browser/save-file.ts";
import { Banner } from "../../../ui/messages/banner.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { Button } from "../../../ui/button.tsx";
import { copyText } from "../copy-text.ts";
import { classNames } from "../../../ui/class-names.ts";
import * as styles from "../account.module.css";

const FILE_NAME = "farline-recovery-codes.txt";

interface RecoveryCodesProps {
  readonly codes: readonly string[];
  /** The user confirms the codes are saved; they are not shown again. */
  readonly onDone: () => void;
}

/** Recovery codes, shown only once. */
export function RecoveryCodes({ codes, onDone }: RecoveryCodesProps) {
  const { t } = useTranslation("account");
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const text = codes.join("\n");
  return (
    <div className={styles.part}>
      <h3 className="t-sub" ref={heading} tabIndex={-1}>
        {t("recovery.title")}
      </h3>
      <Banner kind="warn">{t("recovery.once")}</Banner>
      <ul className={classNames(styles.codes, "fig")} dir="ltr">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className="row">
        <Button onClick={() => void copyText(text)}>
          <Icon of={IconCopy} />
          <span>{t("recovery.copy")}</span>
        </Button>
        <Button onClick={() => saveFile(FILE_NAME, `${t("recovery.fileHead")}\n\n${text}\n`, "text/plain;charset=utf-8")}>
          <Icon of={IconDownload} />
          <span>{t("recovery.download")}</span>
        </Button>
      </div>
      <Button pair="action" wide onClick={onDone}>
        {t("recovery.kept")}
      </Button>
    </div>
  );
}
