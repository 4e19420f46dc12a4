import type { ImportResponse, SkippedRow } from "@farline/contract/contacts.ts";
import { screen, waitFor, within } from "@testing-library/react";
import { afterEach, describe, expect, test, vi } from "vitest";
import { aContact } from "../../../test/answers.ts";
import { refused } from "../../../test/fake-service.ts";
import { downloaded, openApp, withFakeService } from "../../../test/open-app.tsx";

const service = withFakeService();

const file = (name: string) => new File(["First Name;Mobile Phone\n"], name, { type: "text/csv" });

function plan(imported: number, more: Partial<ImportResponse> = {}): ImportResponse {
  return {
    problem: null,
    imported,
    merged: 0,
    skipped: 0,
    preview: true,
    imported_rows: Array.from({ length: imported }, (_, index) => ({
      row: index + 2,
      name: `Person ${index}`,
      phone_numbers: [`+23320000014${index}`],
      country_code: "GH",
      merged: false,
    })),
    skipped_rows: [],
    skipped_by_reason: {},
    file: { format: "table", charset: "utf-8", is_mixed: false, columns: [] },
    changed: 0,
    changed_rows: [],
    ...more,
  };
}

async function open() {
  const person = await openApp("/contacts");
  await person.click(await screen.findByRole("button", { name: "More: Import, Export" }));
  await person.click(screen.getByRole("button", { name: "Import" }));
  const dialog = within(screen.getByRole("dialog", { name: "Import Contacts" }));
  const choose = (one: File) => person.upload(dialog.getByLabelText(/Choose/), one);
  return { person, dialog, choose };
}

describe("importing a file", () => {
  test("requires a file of a supported type", async () => {
    const { person, dialog, choose } = await open();
    await person.click(dialog.getByRole("button", { name: "Import" }));
    expect(await dialog.findByRole("alert")).toHaveTextContent("Please select a file");
    await choose(file("people.pdf"));
    expect(await dialog.findByText("Please select a CSV or vCard (.vcf) file")).toBeVisible();
    expect(service().asked("POST /api/contacts/import")).toEqual([]);
  });

  test("previews every row, again for another country, and then imports", async () => {
    service().on("POST /api/contacts/import", ({ query }) => {
      const withCountry = query["country"] === "PL";
      const nobody: SkippedRow = {
        row: 5,
        name: "Nobody",
        number: "",
        reason: "no_number",
        other_row: null,
        choices: [],
        country: "",
      };
      const ola: SkippedRow = {
        row: 4,
        name: "Ola",
        number: "22 500 01 42",
        reason: "country_required",
        other_row: null,
        choices: [],
        country: "",
      };
      if (query["preview"] !== "true") return plan(4, { preview: false, skipped: 1 });
      return withCountry
        ? plan(4, { skipped: 1, skipped_rows: [nobody], skipped_by_reason: { no_number: 1 } })
        : plan(3, { skipped: 2, skipped_rows: [ola, nobody], skipped_by_reason: { no_number: 1, country_required: 1 } });
    });
    const { person, dialog, choose } = await open();
    await choose(file("people.csv"));
    expect(await dialog.findByText("3 contacts will be imported. 2 are skipped.")).toBeVisible();
    expect(dialog.getByText("The number has no country code. Choose the country above.")).toBeVisible();
    expect(dialog.getByText("No phone number.")).toBeVisible();
    await person.selectOptions(dialog.getByLabelText("Country for numbers without a country code"), "PL");
    expect(await dialog.findByText("4 contacts will be imported. 1 is skipped.")).toBeVisible();
    service().on("GET /api/contacts", { contacts: [aContact()], next_cursor: null, total: 1 });
    await person.click(dialog.getByRole("button", { name: "Import 4 contacts" }));
    expect(await screen.findByText("Imported 4 contacts from CSV (1 skipped)")).toBeVisible();
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(await screen.findByRole("button", { name: /^Kwame Mensah, / })).toBeVisible();
    const asked = service().asked("POST /api/contacts/import");
    expect(asked.map(({ query }) => query)).toEqual([{ preview: "true" }, { preview: "true", country: "PL" }, { country: "PL" }]);
    const sent = asked.at(-1)?.body;
    expect(sent instanceof FormData && sent.get("file")).toMatchObject({ name: "people.csv" });
  });

  test("is impossible for an empty file", async () => {
    service().on("POST /api/contacts/import", plan(0));
    const { dialog, choose } = await open();
    await choose(file("people.csv"));
    expect(await dialog.findByText(/^0 contacts will be imported\./)).toBeVisible();
    expect(dialog.getByRole("button", { name: "Import" })).toBeDisabled();
  });

  test("lists repairs, and rereads the file with the chosen columns and character set", async () => {
    const columns = [
      { head: "a", samples: ["Nowak"], role: "first_name" as const },
      { head: "", samples: ["+48 22"], role: "phone" as const },
      { head: "empty", samples: [], role: "ignore" as const },
    ];
    const changed_rows = [{ row: 2, name: "Ola", repairs: ["notes_shortened" as const, "bytes_left_out" as const] }];
    const answer = (charset: "windows-1252" | "windows-1251") =>
      plan(1, { changed: 1, changed_rows, file: { format: "table", charset, is_mixed: true, columns } });
    service().on("POST /api/contacts/import", ({ query }) =>
      answer(query["charset"] === "windows-1251" ? "windows-1251" : "windows-1252"),
    );
    const { person, dialog, choose } = await open();
    await choose(file("people.csv"));
    expect(await dialog.findByText("The notes were shortened.")).toBeVisible();
    expect(dialog.getByText("Broken characters were left out.")).toBeVisible();
    await person.click(dialog.getByText(/^Something looks wrong/));
    expect(dialog.queryByLabelText("empty")).toBeNull();
    await person.selectOptions(dialog.getByLabelText("Character set"), "windows-1251");
    await waitFor(() => expect(dialog.getByLabelText("Character set")).toHaveValue("windows-1251"));
    await person.selectOptions(dialog.getByLabelText("a"), "last_name");
    await waitFor(() =>
      expect(service().asked("POST /api/contacts/import").at(-1)?.query).toEqual({
        preview: "true",
        charset: "windows-1251",
        columns: "last_name,phone,ignore",
      }),
    );
    expect(dialog.getByLabelText("Column 2")).toHaveValue("phone");
    await person.click(await dialog.findByRole("button", { name: "Import 1 contact" }));
    await waitFor(() => expect(service().asked("POST /api/contacts/import").at(-1)?.query).not.toHaveProperty("preview"));
    expect(service().asked("POST /api/contacts/import").at(-1)?.query["columns"]).toBe("last_name,phone,ignore");
  });

  test("says which contacts gain numbers, how columns were read, and why a row is held back", async () => {
    const columns = [
      { head: "Name", samples: ["Sita"], role: "full_name" as const },
      { head: "Country", samples: ["Nepal"], role: "country" as const },
      { head: "", samples: ["9812345678"], role: "phone" as const },
      { head: "Age", samples: ["44"], role: "ignore" as const },
      { head: "Empty", samples: [], role: "ignore" as const },
    ];
    const rows = plan(2).imported_rows.map((row, index) => ({ ...row, merged: index === 1 }));
    const held: SkippedRow = {
      row: 4,
      name: "Ram",
      number: "+91 98123 45678",
      reason: "country_contradicts",
      other_row: null,
      choices: [],
      country: "Nepal",
    };
    const file = { format: "table" as const, charset: "utf-8" as const, is_mixed: false, columns };
    service().on(
      "POST /api/contacts/import",
      plan(2, { merged: 1, imported_rows: rows, skipped: 1, skipped_rows: [held], file }),
    );
    const { dialog, choose } = await open();
    await choose(new File([""], "people.csv"));
    expect(
      await dialog.findByText("2 contacts will be imported. 1 of them adds numbers to a contact you already have. 1 is skipped."),
    ).toBeVisible();
    expect(dialog.getAllByText("Added to a contact you already have")).toHaveLength(1);
    expect(dialog.getByText("The row says Nepal, but the number belongs to another country.")).toBeVisible();
    expect(
      dialog.getByText("Columns read: Name (Full name), Country (Country or dialling code), Column 3 (Phone number)."),
    ).toBeVisible();
    expect(dialog.getByText("Columns left out: Age.")).toBeVisible();
  });

  test("opens the column settings if no column has numbers", async () => {
    const columns = [{ head: "colour", samples: ["red"], role: "ignore" as const }];
    const facts = { format: "table" as const, charset: "utf-8" as const, is_mixed: false, columns };
    service().on("POST /api/contacts/import", plan(0, { problem: { kind: "no_phone_column", row: 1 }, file: facts }));
    const { dialog, choose } = await open();
    await choose(file("people.csv"));
    expect(await dialog.findByRole("alert")).toHaveTextContent("No column contains phone numbers. Choose the column below.");
    expect(dialog.getByLabelText("colour")).toBeVisible();
  });

  test("shows at which row a file cannot be read", async () => {
    service().on("POST /api/contacts/import", plan(0, { problem: { kind: "too_many_columns", row: 7 } }));
    const { dialog, choose } = await open();
    await choose(file("people.csv"));
    expect(await dialog.findByRole("alert")).toHaveTextContent("Row 7 has more than 256 columns.");
    expect(dialog.getByRole("button", { name: "Import" })).toBeDisabled();
  });

  test("shows the service's reason for a refusal", async () => {
    service().on("POST /api/contacts/import", refused("rate_limited", "Too many files. Wait a while."));
    const { dialog, choose } = await open();
    await choose(file("people.vcf"));
    expect(await dialog.findByRole("alert")).toHaveTextContent("Too many files. Wait a while.");
  });
});

describe("the export", () => {
  test.each([
    ["Table (CSV)", "table"],
    ["Table for other apps (CSV, in English)", "csv"],
    ["Address cards (vCard)", "vcf"],
  ] as const)("as %s goes by a ticket, never by the session's token", async (name, format) => {
    service().on("GET /api/contacts", { contacts: [aContact()], next_cursor: null, total: 1 });
    service().on("POST /api/contacts/export-ticket", { ticket: "a ticket", expires_at: "2026-05-18T09:01:00.000Z" });
    const person = await openApp("/contacts");
    await screen.findByRole("button", { name: /^Kwame Mensah, / });
    await person.click(screen.getByRole("button", { name: "More: Import, Export" }));
    await person.click(screen.getByRole("button", { name: "Export" }));
    await person.click(within(screen.getByRole("dialog")).getByRole("button", { name }));
    await waitFor(() => expect(downloaded).toHaveBeenCalledWith("/api/contacts/export?ticket=a+ticket"));
    expect(service().asked("POST /api/contacts/export-ticket")[0]?.body).toEqual({ format });
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  });

  test("shows why it is refused, and continues after re-authentication", async () => {
    service().on("GET /api/contacts", { contacts: [aContact()], next_cursor: null, total: 1 });
    service().on("POST /api/contacts/export-ticket", refused("rate_limited", "Too many downloads."));
    const person = await openApp("/contacts");
    await screen.findByRole("button", { name: /^Kwame Mensah, / });
    await person.click(screen.getByRole("button", { name: "More: Import, Export" }));
    await person.click(screen.getByRole("button", { name: "Export" }));
    await person.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Table (CSV)" }));
    expect(await screen.findByRole("alert")).toHaveTextContent("Too many downloads.");
    let proved = false;
    service().on("POST /api/contacts/export-ticket", () =>
      proved ? { ticket: "ticket", expires_at: "2026-05-18T09:01:00.000Z" } : refused("reauth_required", "Enter your password."),
    );
    service().on("POST /api/reauthenticate", () => {
      proved = true;
      return undefined;
    });
    await person.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Table (CSV)" }));
    const question = await screen.findByRole("dialog", { name: "Confirm it’s you" });
    expect(await within(question).findByLabelText("Current password")).toHaveFocus();
    await person.type(within(question).getByLabelText("Current password"), "correct horse battery{Enter}");
    await waitFor(() => expect(downloaded).toHaveBeenCalledWith("/api/contacts/export?ticket=ticket"));
  });
});

describe("choosing from the phone's contacts", () => {
  const phoneBook = (select: () => Promise<object[]>) =>
    vi.stubGlobal("navigator", Object.assign(navigator, { contacts: { select } }));
  afterEach(() => delete (navigator as { contacts?: unknown }).contacts);

  test("is offered only in browsers with a contact picker", async () => {
    const { dialog } = await open();
    expect(dialog.queryByRole("button", { name: "Choose from this phone's contacts" })).toBeNull();
  });

  test("imports the chosen people as a vCard file with all their numbers", async () => {
    phoneBook(() => Promise.resolve([{ name: ["Kwame Mensah"], tel: ["+233 20 000 0142", "030 200 0142"], email: [] }]));
    const sent: File[] = [];
    service().on("POST /api/contacts/import", ({ body }) => {
      sent.push((body as FormData).get("file") as File);
      return plan(1);
    });
    const { person, dialog } = await open();
    await person.click(dialog.getByRole("button", { name: "Choose from this phone's contacts" }));
    expect(await dialog.findByText("1 contact will be imported.")).toBeVisible();
    const card = await sent[0]?.text();
    expect(card).toContain("FN:Kwame Mensah\r\n");
    expect(card?.match(/^TEL;TYPE=CELL:.*$/gm)).toEqual(["TEL;TYPE=CELL:+233 20 000 0142", "TEL;TYPE=CELL:030 200 0142"]);
  });

  test("changes nothing if no contact was chosen, and reports a refusal", async () => {
    let chosen: Promise<object[]> = Promise.resolve([]);
    phoneBook(() => chosen);
    const { person, dialog } = await open();
    const key = dialog.getByRole("button", { name: "Choose from this phone's contacts" });
    await person.click(key);
    expect(service().asked("POST /api/contacts/import")).toEqual([]);
    chosen = Promise.reject(new DOMException("busy", "InvalidStateError"));
    await person.click(key);
    expect(await dialog.findByRole("alert")).toHaveTextContent("Your phone did not open its contacts. Choose a file instead.");
  });
});
