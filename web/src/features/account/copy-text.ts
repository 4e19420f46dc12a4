import { i18n } from "../../text/i18n.ts";
import { toast } from "../../ui/toast.ts";

/** Puts a text on the clipboard and says so, or says that it must be copied by hand. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast.success(i18n.t("account:copied"));
  } catch {
    toast.error(i18n.t("account:notCopied"));
  }
}
