import type { Contact } from "@farline/contract/contacts.ts";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { messageOf } from "../../service/http.ts";
import { Banner } from "../../ui/messages/banner.tsx";
import { Dialog } from "../../ui/dialogs/dialog.tsx";
import { Button } from "../../ui/button.tsx";
import { toast } from "../../ui/messages/toast.ts";
import { deleteContact } from "./contacts-queries.ts";

/** Asks for confirmation before deletion. Cancel has the focus. */
export function DeleteContactDialog({ contact, onClose }: { readonly contact: Contact; readonly onClose: () => void }) {
  const { t } = useTranslation(["contacts", "common"]);
  const remove = useMutation({
    mutationFn: () => deleteContact(contact.id),
    onSuccess: () => {
      toast.success(t("toast.deleted"));
      onClose();
    },
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title={contact.full_name}
      foot={
        <>
          <Button onClick={onClose}>{t("common:cancel")}</Button>
          <Button pair="end" busy={remove.isPending} onClick={() => remove.mutate()}>
            {t("delete")}
          </Button>
        </>
      }
    >
      <p className="muted">{t("deleteQuestion")}</p>
      {remove.isError && <Banner kind="error">{messageOf(remove.error, t("failure.delete"))}</Banner>}
    </Dialog>
  );
}
