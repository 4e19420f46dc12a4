import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { aCall, aContact, listOf } from "../../../test/answers.ts";
import { refused } from "../../../test/fake-service.ts";
import { openApp, withFakeService } from "../../../test/open-app.tsx";
import { queryClient } from "../../service/query-client.ts";

const service = withFakeService();

const kwame = aContact({ company: "Accra City Bank", notes: "Brother of Ama", email: "kwame@example.com" });
const home = {
  phone_number: "+233302000142",
  extension: "",
  phone_number_type: "home",
  country_code: "GH",
  country_name: "Ghana",
  rate_per_minute: "0.1980",
  first_interval_s: 1,
  next_interval_s: 1,
} as const;
const listed = (...contacts: ReturnType<typeof aContact>[]) => ({ contacts, next_cursor: null, total: contacts.length });
const row = (name: string) => screen.findByRole("button", { name: new RegExp(`^${name},`) });

async function openSheet(person: Awaited<ReturnType<typeof openApp>>) {
  await person.click(await row("Kwame Mensah"));
  return within(await screen.findByRole("region", { name: "Kwame Mensah" }));
}

describe("the form", () => {
  const form = () => screen.findByRole("dialog");

  test("adds a contact whose number has no country code, with the country that was chosen", async () => {
    service().on("POST /api/contacts", { contact: kwame });
    const person = await openApp("/contacts");
    await person.click(await screen.findByRole("button", { name: "Add Contact" }));
    const dialog = within(await form());
    expect(dialog.getByLabelText("First name")).toHaveFocus();
    await person.click(dialog.getByRole("button", { name: "Save" }));
    expect(await dialog.findByText("Enter a first name.")).toBeVisible();
    expect(dialog.getByText("Please enter a phone number")).toBeVisible();
    expect(service().asked("POST /api/contacts")).toEqual([]);

    await person.type(dialog.getByLabelText("First name"), "Kwame");
    await person.type(dialog.getByLabelText("Phone number"), "020 000 0142");
    await person.type(dialog.getByLabelText("Notes (optional)"), "Brother");
    await person.selectOptions(dialog.getByLabelText("Type"), "Work");
    await person.selectOptions(dialog.getByLabelText("Country for numbers without a country code"), "GH");
    service().on("GET /api/contacts", listed(kwame));
    await person.click(dialog.getByRole("button", { name: "Save" }));
    expect(await screen.findByText("Contact added")).toBeVisible();
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(await row("Kwame Mensah")).toBeVisible();
    expect(
      service()
        .asked("POST /api/contacts")
        .map(({ body }) => body),
    ).toMatchObject([
      {
        first_name: "Kwame",
        phone_number: "020 000 0142",
        phone_number_type: "work",
        country_code: "GH",
        notes: "Brother",
      },
    ]);
  });

  test("guesses the country from the last calls, and asks for it before the number", async () => {
    const to = (code: string) => aCall({ destination_country: code });
    service().on("GET /api/calls/history", { calls: listOf([to("GH"), to("GB"), to("GB")]) });
    const person = await openApp("/contacts");
    await waitFor(() => expect(service().asked("GET /api/calls/history")).toHaveLength(1));
    await person.click(await screen.findByRole("button", { name: "Add Contact" }));
    const dialog = within(await form());
    const country = dialog.getByLabelText("Country for numbers without a country code");
    expect(country).toHaveValue("GB");
    expect(country.compareDocumentPosition(dialog.getByLabelText("Phone number"))).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
  });

  test("asks which number is meant, and saves the chosen one", async () => {
    const choices = [
      { number: "+16462345678", country_code: "US", country_name: "United States" },
      { number: "+6462345678", country_code: "NZ", country_name: "New Zealand" },
    ];
    service().on("POST /api/contacts", ({ body }) => {
      if ((body as { phone_number: string }).phone_number.startsWith("+")) return { contact: kwame };
      return refused("number_ambiguous", "Do you mean …?", { errors: { phone_number: ["Do you mean …?"] }, choices });
    });
    const person = await openApp("/contacts");
    await person.click(await screen.findByRole("button", { name: "Add Contact" }));
    const dialog = within(await form());
    await person.type(dialog.getByLabelText("First name"), "Kwame");
    await person.type(dialog.getByLabelText("Phone number"), "6462345678");
    await person.click(dialog.getByRole("button", { name: "Save" }));
    await person.click(await dialog.findByRole("button", { name: /New Zealand/ }));
    expect(dialog.getByLabelText("Phone number")).toHaveValue("+6462345678");
    expect(dialog.queryByText("Which number do you mean?")).toBeNull();
    await person.click(dialog.getByRole("button", { name: "Save" }));
    expect(await screen.findByText(/Contact added/i)).toBeVisible();
    expect(service().asked("POST /api/contacts").at(-1)?.body).toMatchObject({ phone_number: "+6462345678" });
  });

  test("accepts several numbers, and shows an error at the refused one", async () => {
    const text = "You already have this number as Ama.";
    service().on("GET /api/contacts", listed(aContact({ phone_number_type: "work", other_numbers: [home] })));
    service().on("PUT /api/contacts/:id", refused("conflict", text, { errors: { "other_numbers.1.phone_number": [text] } }));
    const person = await openApp("/contacts");
    await person.click((await openSheet(person)).getByRole("button", { name: "Edit Kwame Mensah" }));
    const dialog = within(await form());
    expect(dialog.getByLabelText("Phone number 2")).toHaveValue("+233302000142");
    expect(dialog.getByLabelText("Type of number 2")).toHaveValue("home");
    await person.click(dialog.getByRole("button", { name: "Add another number" }));
    expect(dialog.getByLabelText("Phone number 3")).toHaveFocus();
    await person.click(dialog.getByRole("button", { name: "Save" }));
    expect(await dialog.findByText("Please enter a phone number")).toBeVisible();
    await person.type(dialog.getByLabelText("Phone number 3"), "+33199000142");
    await person.click(dialog.getByRole("button", { name: "Save" }));
    expect(await dialog.findByText(text)).toBeVisible();
    expect(dialog.getByLabelText("Phone number 3")).toHaveAccessibleDescription(expect.stringContaining(text));
    await person.click(dialog.getByRole("button", { name: "Remove number 3" }));
    await person.click(dialog.getByRole("button", { name: "Remove number 2" }));
    service().on("PUT /api/contacts/:id", { contact: kwame });
    await person.click(dialog.getByRole("button", { name: "Save" }));
    expect(await screen.findByText("Contact updated")).toBeVisible();
    const asked = service().asked("PUT /api/contacts/:id");
    expect(asked.map(({ body }) => (body as { other_numbers: object[] }).other_numbers)).toEqual([
      [
        { phone_number: "+233302000142", phone_number_type: "home", country_code: null },
        { phone_number: "+33199000142", phone_number_type: "mobile", country_code: null },
      ],
      [],
    ]);
  });

  test("edits a contact, starting from its stored values", async () => {
    service().on("GET /api/contacts", listed(kwame));
    service().on("PUT /api/contacts/:id", { contact: { ...kwame, company: "Elsewhere" } });
    const person = await openApp("/contacts");
    await person.click((await openSheet(person)).getByRole("button", { name: "Edit Kwame Mensah" }));
    const dialog = within(await form());
    expect(dialog.getByRole("heading", { name: "Edit contact" })).toBeVisible();
    expect(dialog.getByLabelText("Phone number")).toHaveValue("+233200000142");
    const company = dialog.getByLabelText("Company (optional)");
    expect(company).toHaveValue("Accra City Bank");
    await person.clear(company);
    await person.type(company, "Elsewhere");
    await person.click(dialog.getByRole("button", { name: "Save" }));
    expect(await screen.findByText("Contact updated")).toBeVisible();
    const [asked] = service().asked("PUT /api/contacts/:id");
    expect(asked?.id).toBe(kwame.id);
    expect(asked?.body).toMatchObject({ first_name: "Kwame", last_name: "Mensah", company: "Elsewhere" });
  });

  test("says what it was opened with, also for a draft of a contact that has changed meanwhile", async () => {
    service().on("GET /api/contacts", listed(kwame));
    service().on("PUT /api/contacts/:id", { contact: kwame });
    const person = await openApp("/contacts");
    await person.click((await openSheet(person)).getByRole("button", { name: "Edit Kwame Mensah" }));
    await person.type(within(await form()).getByLabelText("Notes (optional)"), ", in Accra");
    cleanup();
    queryClient.clear();
    service().on("GET /api/contacts", listed({ ...kwame, company: "Elsewhere", notes: "Uncle" }));
    const again = await openApp("/contacts");
    await again.click((await openSheet(again)).getByRole("button", { name: "Edit Kwame Mensah" }));
    const dialog = within(await form());
    expect(dialog.getByLabelText("Notes (optional)")).toHaveValue("Brother of Ama, in Accra");
    await again.click(dialog.getByRole("button", { name: "Save" }));
    expect(await screen.findByText("Contact updated")).toBeVisible();
    expect(service().asked("PUT /api/contacts/:id")[0]?.body).toMatchObject({
      company: "Accra City Bank",
      notes: "Brother of Ama, in Accra",
      seen: { first_name: "Kwame", company: "Accra City Bank", notes: "Brother of Ama", phone_number: "+233200000142" },
    });
  });

  test("prefills the number from the address, and removes it from the address when closed", async () => {
    const person = await openApp("/contacts?add=%2B442079460000");
    const dialog = within(await form());
    expect(dialog.getByLabelText("Phone number")).toHaveValue("+442079460000");
    await person.click(dialog.getByRole("button", { name: "Cancel" }));
    await waitFor(() => expect(window.location.search).toBe(""));
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  test("shows a failure and keeps the typed values", async () => {
    service().on("POST /api/contacts", refused("conflict", "You have this number as Ama."));
    const person = await openApp("/contacts?add=%2B442079460000");
    const dialog = within(await form());
    await person.type(dialog.getByLabelText("First name"), "Kwame");
    await person.click(dialog.getByRole("button", { name: "Save" }));
    expect(await dialog.findByRole("alert")).toHaveTextContent("You have this number as Ama.");
    expect(dialog.getByLabelText("First name")).toHaveValue("Kwame");
  });
});

describe("deleting", () => {
  async function ask() {
    service().on("GET /api/contacts", listed(kwame));
    const person = await openApp("/contacts");
    await person.click((await openSheet(person)).getByRole("button", { name: "Delete Kwame Mensah" }));
    const dialog = screen.getByRole("dialog", { name: "Kwame Mensah" });
    expect(within(dialog).getByText("Are you sure you want to delete this contact?")).toBeVisible();
    return { person, dialog: within(dialog) };
  }

  test("asks for confirmation, and changes nothing when cancelled", async () => {
    const { person, dialog } = await ask();
    await person.click(dialog.getByRole("button", { name: "Cancel" }));
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(service().asked("DELETE /api/contacts/:id")).toEqual([]);
  });

  test("removes the chosen contact, and gives the focus to the page when it was the last", async () => {
    service().on("DELETE /api/contacts/:id", undefined);
    const { person, dialog } = await ask();
    service().on("GET /api/contacts", listed());
    await person.click(dialog.getByRole("button", { name: "Delete" }));
    expect(await screen.findByText("Contact deleted")).toBeVisible();
    expect(await screen.findByText("No Contacts Yet")).toBeVisible();
    expect(screen.getByRole("main")).toHaveFocus();
    expect(
      service()
        .asked("DELETE /api/contacts/:id")
        .map(({ id }) => id),
    ).toEqual([kwame.id]);
  });

  test("gives the focus to the next contact", async () => {
    const zed = aContact({ full_name: "Zed" });
    service().on("GET /api/contacts", listed(kwame, zed));
    service().on("DELETE /api/contacts/:id", undefined);
    const person = await openApp("/contacts");
    (await row("Kwame Mensah")).focus();
    await person.keyboard("{Delete}");
    service().on("GET /api/contacts", listed(zed));
    await person.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Delete" }));
    await screen.findByText("Contact deleted");
    await waitFor(async () => expect(await row("Zed")).toHaveFocus());
  });

  test("shows a failure in the dialog, which stays open", async () => {
    service().on("DELETE /api/contacts/:id", refused("rate_limited", "Too many attempts."));
    const { person, dialog } = await ask();
    await person.click(dialog.getByRole("button", { name: "Delete" }));
    expect(await dialog.findByRole("alert")).toHaveTextContent("Too many attempts.");
  });
});
