import { Toast } from "@base-ui/react/toast";
import { IconAlertTriangle, IconCircleCheckFilled, IconExclamationCircle, IconInfoCircle, IconX } from "@tabler/icons-react";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "./icon.tsx";
import { keyClass } from "./key.tsx";
import { attachToaster, type ToastKind } from "./toast.ts";

const icons = {
  success: IconCircleCheckFilled,
  info: IconInfoCircle,
  warning: IconAlertTriangle,
  error: IconExclamationCircle,
} as const satisfies Record<ToastKind, unknown>;

const MAX_SHOWN = 3;
const manager = Toast.createToastManager<{ kind: ToastKind }>();

/** The stack of messages. Base UI pauses them under the pointer and the focus, and reads them out: errors at once. */
export function ToastList() {
  const { t } = useTranslation();
  useEffect(
    () =>
      attachToaster({
        show({ key, kind, text, timeoutMs }) {
          const shown = {
            title: text,
            timeout: timeoutMs,
            priority: kind === "error" ? "high" : "low",
            data: { kind },
          } as const;
          manager.add(key === undefined ? shown : { ...shown, id: key });
        },
        dismiss: (key) => manager.close(key),
      }),
    [],
  );
  return (
    <Toast.Provider toastManager={manager} limit={MAX_SHOWN}>
      <Toast.Portal>
        <Toast.Viewport className="toasts" aria-label={t("messages")}>
          <Toasts />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function Toasts() {
  const { t, i18n } = useTranslation();
  const { toasts } = Toast.useToastManager<{ kind: ToastKind }>();
  return toasts.map((item) => {
    const kind = item.data?.kind ?? "info";
    return (
      <Toast.Root
        key={item.id}
        toast={item}
        swipeDirection={i18n.dir() === "rtl" ? "left" : "right"}
        className={`toast toast--${kind}`}
      >
        <Icon of={icons[kind]} />
        <Toast.Title render={<p />} className="toast__text" />
        {/* Base UI hides the key while a stack is folded; ours is never folded. */}
        <Toast.Close className={keyClass({ iconOnly: true }, "toast__close")} aria-label={t("close")} aria-hidden={false}>
          <Icon of={IconX} />
        </Toast.Close>
      </Toast.Root>
    );
  });
}
