import type { Contact } from "@farline/contract/contacts.ts";
import { clocksOf } from "@farline/domain/countries/clocks.ts";
import { dateOnClock } from "@farline/domain/wall-clock.ts";
import { hasSeveralClocks } from "@farline/domain/countries/time-zones.ts";
import { DAY_MS } from "@farline/domain/durations.ts";
import type { Reminder } from "@farline/contract/reminders/reminders.ts";
import { queryOptions, useMutation, useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { messageOf, request } from "../../service/http.ts";
import { queryKeys } from "../../service/queries.ts";
import { queryClient } from "../../service/query-client.ts";
import { formatDateTime } from "../../text/format.ts";
import { i18n } from "../../text/i18n.ts";
import { timeThere } from "../../text/time-there.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialogs/dialog.tsx";
import { usePlace } from "../../ui/dialling/place-of-clock.tsx";
import { LoadFailure } from "../../ui/empty-state.tsx";
import { Field } from "../../ui/forms/field.tsx";
import { SelectField } from "../../ui/forms/form-fields.tsx";
import { Form } from "../../ui/forms/form.tsx";
import { Banner } from "../../ui/messages/banner.tsx";
import { toast } from "../../ui/messages/toast.ts";
import { SkeletonRows } from "../../ui/waiting/skeleton.tsx";
import { serviceNow } from "../../time/clock.ts";
import { useMinute } from "../../time/use-now.ts";
import * as styles from "./contacts-page.module.css";
import * as rowsStyles from "../../ui/rows.module.css";

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
  const [clock, setClock] = useState(contact.time_zone ?? "");
  const place = usePlace()(contact.country_code, clock);
  const [date, setDate] = useState(tomorrow);
  const [time, setTime] = useState(GOOD_HOUR);
  const [weekly, setWeekly] = useState(false);
  const add = useMutation({
    mutationFn: () =>
      request("POST /api/reminders", { body: { contact_id: contact.id, date, time, weekly, time_zone: clock || null } }),
    onSuccess: async ({ reminder }) => {
      toast.success(t("reminder.set", { at: formatDateTime(reminder.at) }));
      await Promise.all([refresh(), queryClient.invalidateQueries({ queryKey: queryKeys.contacts })]);
      onClose();
    },
  });
  const problem = messageOf(add.error, t("reminder.failure"));
  const unchosen = add.isError && clock === "" && hasSeveralClocks(contact.country_code);
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
        <p className="muted">{t("reminder.text", { place })}</p>
        <ClockSelect country={contact.country_code} clock={clock} onChange={setClock} error={unchosen ? problem : undefined} />
        <Field label={t("reminder.date")} type="date" autoComplete="off" value={date} onValue={setDate} />
        <Field label={t("reminder.time", { place })} type="time" autoComplete="off" value={time} onValue={setTime} />
        <label className={styles.weekly}>
          <input type="checkbox" checked={weekly} onChange={(event) => setWeekly(event.target.checked)} />
          <span>{t("reminder.weekly")}</span>
        </label>
        {add.isError && !unchosen && <Banner kind="error">{problem}</Banner>}
      </Form>
      <div className={styles.reminders}>
        <Reminders contactId={contact.id} />
      </div>
    </Dialog>
  );
}

/** The reader's own tomorrow: it may be another day in UTC. */
function tomorrow(): string {
  const today = dateOnClock(new Date(serviceNow()));
  return new Date(Date.parse(today) + DAY_MS).toISOString().slice(0, 10);
}

interface ClockSelectProps {
  readonly country: string;
  readonly clock: string;
  readonly onChange: (clock: string) => void;
  readonly error: string | undefined;
}

/** Chooses one of a country's clocks, each with its time now, because the number's digits may not tell; nothing where there is one. */
function ClockSelect({ country, clock, onChange, error }: ClockSelectProps) {
  const { t } = useTranslation("contacts");
  const place = usePlace();
  const now = useMinute();
  const clocks = clocksOf(country);
  if (clocks.length < 2) return null;
  return (
    <SelectField label={t("reminder.clock")} value={clock} error={error} onChange={(event) => onChange(event.target.value)}>
      {clock === "" && <option value="">{t("reminder.chooseClock")}</option>}
      {clocks.map((one) => (
        <option key={one} value={one}>
          {[place(country, one), timeThere(one, now)?.time].filter(Boolean).join(" · ")}
        </option>
      ))}
    </SelectField>
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
  const place = usePlace();
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
            <span className="muted">{` · ${t("reminder.there", { time: one.local_time, place: place(one.country_code, one.time_zone) })}`}</span>
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
