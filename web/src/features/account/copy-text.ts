import { i18n } from "../../text/i18n.ts";
import { toast } from "../../ui/messages/toast.ts";

/** Copies a text to the clipboard and says so, or asks the user to copy it by hand. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast.success(i18n.t("account:copied"));
  } catch {
    toast.error(i18n.t("account:notCopied"));
  }
}
