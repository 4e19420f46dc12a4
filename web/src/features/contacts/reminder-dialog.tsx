import type { Contact } from "@farline/contract/contacts.ts";
import type { Reminder } from "@farline/contract/reminders/reminders.ts";
import { queryOptions, useMutation, useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { messageOf, request } from "../../service/http.ts";
import { queryClient } from "../../service/query-client.ts";
import { formatDateTime } from "../../text/format.ts";
import { i18n, countryName } from "../../text/i18n.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialogs/dialog.tsx";
import { LoadFailure } from "../../ui/empty-state.tsx";
import { Field } from "../../ui/forms/field.tsx";
import { Form } from "../../ui/forms/form.tsx";
import { Banner } from "../../ui/messages/banner.tsx";
import { toast } from "../../ui/messages/toast.ts";
import { SkeletonRows } from "../../ui/waiting/skeleton.tsx";
import { serviceNow } from "../../time/clock.ts";
import * as styles from "./contacts-page.module.css";
import * as rowsStyles from "../../ui/rows.module.css";

const DAY_MS = 24 * 60 * 60_000;
const GOOD_HOUR = "18:00";

const remindersQuery = queryOptions({
  queryKey: ["reminders"],
  queryFn: async ({ signal }) => (await request("GET /api/reminders", { signal })).reminders,
  meta: { failure: () => i18n.t("contacts:reminder.loadFailure") },
});
const refresh = () => queryClient.invalidateQueries({ queryKey: remindersQuery.queryKey });

/** Sets reminders by mail to call a contact at an hour there, and lists those that are set. */
export function ReminderDialog({ contact, onClose }: { readonly contact: Contact; readonly onClose: () => void }) {
  const { t } = useTranslation(["contacts", "common"]);
  const formId = useId();
  const country = countryName(contact.country_code, contact.country_name);
  const [date, setDate] = useState(() => new Date(serviceNow() + DAY_MS).toISOString().slice(0, 10));
  const [time, setTime] = useState(GOOD_HOUR);
  const [weekly, setWeekly] = useState(false);
  const add = useMutation({
    mutationFn: () => request("POST /api/reminders", { body: { contact_id: contact.id, date, time, weekly } }),
    onSuccess: async ({ reminder }) => {
      toast.success(t("reminder.set", { at: formatDateTime(reminder.at) }));
      await refresh();
      onClose();
    },
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("reminder.title", { name: contact.full_name })}
      foot={
        <>
          <Button onClick={onClose}>{t("common:close")}</Button>
          <Button pair="action" type="submit" form={formId} busy={add.isPending}>
            {t("reminder.save")}
          </Button>
        </>
      }
    >
      <Form id={formId} className="stack" noValidate onSubmit={() => !add.isPending && add.mutate()}>
        <p className="muted">{t("reminder.text", { country })}</p>
        <Field label={t("reminder.date")} type="date" value={date} onValue={setDate} />
        <Field label={t("reminder.time", { country })} type="time" value={time} onValue={setTime} />
        <label className={styles.weekly}>
          <input type="checkbox" checked={weekly} onChange={(event) => setWeekly(event.target.checked)} />
          <span>{t("reminder.weekly")}</span>
        </label>
        {add.isError && <Banner kind="error">{messageOf(add.error, t("reminder.failure"))}</Banner>}
      </Form>
      <div className={styles.list}>
        <Reminders contactId={contact.id} />
      </div>
    </Dialog>
  );
}

/** The reminders that are set for a contact. */
function Reminders({ contactId }: { readonly contactId: string }) {
  const { t } = useTranslation("contacts");
  const { data, error, isFetching, refetch } = useQuery(remindersQuery);
  if (data !== undefined) return <Listed reminders={data.filter((one) => one.contact_id === contactId)} />;
  if (error !== null) return <LoadFailure text={t("reminder.loadFailure")} of={{ error, isFetching, refetch }} />;
  return <SkeletonRows rows={1} />;
}

function Listed({ reminders }: { readonly reminders: readonly Reminder[] }) {
  const { t } = useTranslation("contacts");
  const remove = useMutation({
    mutationFn: (id: string) => request("DELETE /api/reminders/:id", { params: { id } }),
    onSuccess: refresh,
    onError: (error) => toast.error(messageOf(error, t("reminder.failure"))),
  });
  if (reminders.length === 0) return null;
  return (
    <ul className={rowsStyles.rows} aria-label={t("reminder.listed")}>
      {reminders.map((one) => (
        <li key={one.id} className="spread">
          <span>
            <time dateTime={one.at}>{formatDateTime(one.at)}</time>
            {one.weekly && <span className="muted">{` · ${t("reminder.weekly")}`}</span>}
          </span>
          <Button size="sm" busy={remove.isPending && remove.variables === one.id} onClick={() => remove.mutate(one.id)}>
            {t("reminder.remove")}
          </Button>
        </li>
      ))}
    </ul>
  );
}
