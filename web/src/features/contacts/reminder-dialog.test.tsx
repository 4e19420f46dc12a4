import type { Reminder } from "@farline/contract/reminders/reminders.ts";
import { screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { aContact } from "../../../test/answers.ts";
import { refused } from "../../../test/fake-service.ts";
import { openApp, withFakeService } from "../../../test/open-app.tsx";

const service = withFakeService();

const kwame = aContact();
const reminder: Reminder = {
  id: "0192f3a0-0000-7000-8000-000000000009",
  contact_id: kwame.id,
  contact_name: kwame.full_name,
  country_code: "GH",
  time_zone: "Africa/Accra",
  at: "2099-11-28T18:00:00.000Z",
  local_time: "18:00",
  weekly: true,
};
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});
beforeEach(() => service().on("GET /api/contacts", { contacts: [kwame], next_cursor: null, total: 1 }));

async function openDialog() {
  const person = await openApp("/contacts");
  await person.click(await screen.findByRole("button", { name: /, (Mobile|Work), / }));
  await person.click(await screen.findByRole("button", { name: `Remind me to call ${kwame.full_name}` }));
  return { person, dialog: await screen.findByRole("dialog", { name: `Remind me to call ${kwame.full_name}` }) };
}

test("a reminder for six in the evening there is one press, and the dialog closes", async () => {
  service().on("POST /api/reminders", { reminder });
  const { person, dialog } = await openDialog();
  expect(within(dialog).getByLabelText("Time in Ghana")).toHaveValue("18:00");
  await person.click(within(dialog).getByRole("checkbox", { name: "Every week" }));
  await person.click(within(dialog).getByRole("button", { name: "Set reminder" }));
  await waitFor(() =>
    expect(service().asked("POST /api/reminders")[0]?.body).toMatchObject({ contact_id: kwame.id, time: "18:00", weekly: true }),
  );
  await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
});

test("a number that can be on one of several clocks asks which, and the place is said", async () => {
  const contact = aContact({ phone_number: "+61412345678", country_code: "AU", country_name: "Australia", time_zone: null });
  service().on("GET /api/contacts", { contacts: [contact], next_cursor: null, total: 1 });
  service().on("POST /api/reminders", refused("validation_failed", "Choose one.", { reason: "reminder_clock" }));
  const { person, dialog } = await openDialog();
  const clock = within(dialog).getByRole("combobox", { name: "Where they are" });
  expect(clock).toHaveDisplayValue("Choose the place");
  await person.click(within(dialog).getByRole("button", { name: "Set reminder" }));
  await waitFor(() => expect(clock).toHaveAccessibleDescription("Choose one."));
  await person.selectOptions(clock, within(clock).getByRole("option", { name: /^Perth · / }));
  expect(within(dialog).getByLabelText("Time in Perth")).toBeVisible();
  service().on("POST /api/reminders", { reminder });
  await person.click(within(dialog).getByRole("button", { name: "Set reminder" }));
  await waitFor(() =>
    expect(service().asked("POST /api/reminders").at(-1)?.body).toMatchObject({ time: "18:00", time_zone: "Australia/Perth" }),
  );
});

test("a number's own clock is chosen already, and a list names the place of each reminder", async () => {
  const contact = aContact({ id: kwame.id, country_code: "US", country_name: "United States", time_zone: "America/Los_Angeles" });
  service().on("GET /api/contacts", { contacts: [contact], next_cursor: null, total: 1 });
  const here = { ...reminder, country_code: "US", time_zone: "America/Los_Angeles" };
  service().on("GET /api/reminders", { reminders: [here] });
  const { dialog } = await openDialog();
  expect(within(dialog).getByRole("combobox", { name: "Where they are" })).toHaveValue("America/Los_Angeles");
  expect(await within(dialog).findByText(/18:00 in Los Angeles/)).toBeVisible();
});

test.each([
  ["America/Los_Angeles", "2026-11-29T04:00:00Z", "2026-11-29"],
  ["Pacific/Auckland", "2026-11-28T20:00:00Z", "2026-11-30"],
  ["Pacific/Kiritimati", "2026-11-28T10:00:00Z", "2026-11-30"],
])("in %s the first date is the reader's own tomorrow", async (zone, now, date) => {
  vi.stubEnv("TZ", zone);
  vi.setSystemTime(now);
  const { dialog } = await openDialog();
  expect(within(dialog).getByLabelText("Date there")).toHaveValue(date);
});

test("set reminders are listed and removed", async () => {
  service().on("GET /api/reminders", { reminders: [reminder] });
  service().on("DELETE /api/reminders/:id", () => {
    service().on("GET /api/reminders", { reminders: [] });
    return undefined;
  });
  const { person, dialog } = await openDialog();
  const list = await within(dialog).findByRole("list", { name: "Your reminders" });
  await person.click(within(list).getByRole("button", { name: "Remove" }));
  await waitFor(() => expect(within(dialog).queryByRole("list", { name: "Your reminders" })).not.toBeInTheDocument());
});

test("the dialog closes by its own button, and sets nothing", async () => {
  const { person, dialog } = await openDialog();
  await person.click(within(dialog).getByRole("button", { name: "Close" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
  expect(service().asked("POST /api/reminders")).toEqual([]);
});

test("reminders that could not be loaded are no empty list, and can be loaded again", async () => {
  service().on("GET /api/reminders", refused("rate_limited", "Too many attempts."));
  const { person, dialog } = await openDialog();
  expect(await within(dialog).findByText("We could not load your reminders.")).toBeVisible();
  service().on("GET /api/reminders", { reminders: [reminder] });
  await person.click(within(dialog).getByRole("button", { name: "Try again" }));
  expect(await within(dialog).findByRole("list", { name: "Your reminders" })).toBeVisible();
});

test("a refused time is said, and the dialog stays", async () => {
  service().on("POST /api/reminders", refused("validation_failed", "Choose a later time.", { reason: "reminder_time" }));
  const { person, dialog } = await openDialog();
  await person.click(within(dialog).getByRole("button", { name: "Set reminder" }));
  expect(await within(dialog).findByRole("alert")).toBeVisible();
});
