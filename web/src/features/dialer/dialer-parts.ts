import { type ComponentType, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { loadPart, optionalPart } from "../../session/load-part.ts";
import { type Namespace, withTexts } from "../../text/i18n.ts";
import { toast } from "../../ui/messages/toast.ts";
import type { AfterCallProps } from "./call/after-call.tsx";

/** A rarely used part, loaded with its texts when first shown. */
const part = <P>(load: () => Promise<P>, ...others: readonly Namespace[]): Promise<P> =>
  loadPart(() => withTexts(load(), "dialer-parts", ...others));

const afterCall = () => part(() => import("./call/after-call.tsx"));

/** Loads what follows a call while there is a network: during the call. */
export function prepareAfterCall(): void {
  afterCall().catch(() => undefined);
}
/** Without it, the pad is back at once. */
export const AfterCall = optionalPart<AfterCallProps>(afterCall, PadBack);

function PadBack({ onClose }: AfterCallProps): null {
  useEffect(onClose);
  return null;
}

/** For customers without people to call, and for an address that is not confirmed yet. */
export const NewCaller = optionalPart(() => part(async () => ({ default: (await import("./start-here.tsx")).NewCaller })));
export const MoreHelp = optionalPart(() => part(async () => ({ default: (await import("./start-here.tsx")).MoreHelp })));
export const ConfirmEmail = optionalPart(() => part(() => import("./confirm-email.tsx"), "auth"));

/** Few numbers are ambiguous or of a former plan. */
export const NumberChoices = optionalPart(() => part(() => import("./number/number-choices.tsx")));

/** Few customers import contacts here. */
export const ImportedContacts = optionalPart(() => part(() => import("./import/imported-contacts.tsx")));
/** What failed is said without it. */
export const FailureAdvice = optionalPart(() =>
  part(async () => ({ default: (await import("./sound/call-advice.tsx")).FailureAdvice })),
);
export const loadCallTopUp = () => part(() => import("./call/call-top-up.tsx"), "billing");
export const loadSoundDialog = () => part(() => import("./sound/sound-dialog.tsx"));
/** In countries with several clocks. */
export const PlaceTime = optionalPart(() => part(() => import("../../ui/dialling/place-of-clock.tsx"), "places"));
/** Shown once in each browser. */
export const Tutorial = optionalPart(() => part(() => import("./tutorial.tsx")));

/** A dialog that is loaded when a press opens it. If that fails, the page, perhaps with a call, stays as it is, and the next press tries again. */
export function useDialogPart<P>(load: () => Promise<{ default: ComponentType<P> }>) {
  const { t } = useTranslation();
  const [Part, setPart] = useState<ComponentType<P> | null>(null);
  const [isOpen, setOpen] = useState(false);
  const open = async (): Promise<void> => {
    try {
      const { default: Loaded } = await load();
      setPart(() => Loaded);
      setOpen(true);
    } catch {
      toast.error(t("loadFailureHint"));
    }
  };
  return { Part, isOpen, open: () => void open(), close: () => setOpen(false) };
}
