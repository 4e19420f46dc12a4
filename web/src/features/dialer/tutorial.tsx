import { IconDialpad, IconGift, IconMicrophone, IconWallet, IconWorld } from "@tabler/icons-react";
import { type ComponentType, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { classNames } from "../../ui/class-names.ts";
import { Dialog } from "../../ui/dialogs/dialog.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Button } from "../../ui/button.tsx";
import { useFreeFirstCall } from "./start-here.tsx";
import * as styles from "./dialer-parts.module.css";

const FREE = { name: "free", icon: IconGift } as const;
const STEPS = [
  { name: "topUp", icon: IconWallet },
  { name: "microphone", icon: IconMicrophone },
  { name: "country", icon: IconWorld },
  { name: "number", icon: IconDialpad },
] as const satisfies readonly { name: string; icon: ComponentType }[];

/** Four-step tutorial before the first call. Not shown again once skipped or completed. */
export default function Tutorial({ open, onDone }: { readonly open: boolean; readonly onDone: () => void }) {
  const { t } = useTranslation("dialer-parts");
  const [at, setAt] = useState(0);
  const next = useRef<HTMLButtonElement>(null);
  const isFree = useFreeFirstCall();
  const step = at === 0 && isFree ? FREE : (STEPS[at] ?? STEPS[0]);
  const last = at === STEPS.length - 1;
  useEffect(() => {
    if (open) next.current?.focus();
  }, [open]);
  return (
    <Dialog
      open={open}
      onClose={onDone}
      title={t(`tutorial.${step.name}.title`)}
      foot={
        <>
          {!last && <Button onClick={onDone}>{t("tutorial.skip")}</Button>}
          <Button ref={next} pair="action" onClick={() => (last ? onDone() : setAt(at + 1))}>
            {last ? t("tutorial.done") : t("tutorial.next")}
          </Button>
        </>
      }
    >
      <div className={styles.tut} role="status">
        <span className="sr-only">
          {`${t("tutorial.step", { step: at + 1, steps: STEPS.length })} ${t(`tutorial.${step.name}.title`)}. `}
        </span>
        <p className="muted">{t(`tutorial.${step.name}.text`)}</p>
      </div>
      <Icon of={step.icon} className={styles.picture} />
      <ol className={styles.steps} aria-hidden="true">
        {STEPS.map(({ name }, index) => (
          <li key={name} className={classNames(index < at && styles.done, index === at && styles.now)} />
        ))}
      </ol>
    </Dialog>
  );
}
