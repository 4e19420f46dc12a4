import { mapDetails } from "@farline/domain/contacts/contact-details.ts";
import { splitName } from "@farline/domain/contacts/contact-texts.ts";
import { writeCard } from "@farline/domain/contacts/cards/write-card.ts";

/** Contact Picker API (WICG Contact Picker, 2024); Chrome on Android has it. */
interface ContactPicker {
  select(properties: readonly ("name" | "tel" | "email")[], options: { multiple: boolean }): Promise<PickedPerson[]>;
}

/** Lists are missing or empty where the address book has no value. */
interface PickedPerson {
  readonly name?: readonly string[];
  readonly tel?: readonly string[];
  readonly email?: readonly string[];
}

function picker(): ContactPicker | undefined {
  return (navigator as { contacts?: ContactPicker }).contacts;
}

/** Whether this browser can show the phone's own address book. */
export function hasPhoneBook(): boolean {
  return picker() !== undefined;
}

/**
 * Opens the phone's address book. Returns the chosen people as a vCard file, which is imported like any other.
 * @returns null if no contact was chosen
 * @throws DOMException when the browser does not open the address book
 */
export async function pickFromPhoneBook(): Promise<File | null> {
  const people = (await picker()?.select(["name", "tel", "email"], { multiple: true })) ?? [];
  if (people.length === 0) return null;
  return new File(people.map(cardOf), "contacts.vcf", { type: "text/vcard" });
}

function cardOf({ name = [], tel = [], email = [] }: PickedPerson): string {
  return writeCard({
    ...splitName(name[0] ?? ""),
    ...mapDetails(() => ""),
    email: email[0] ?? "",
    notes: "",
    favorite: false,
    numbers: tel.map((text) => ({ text, type: "mobile" })),
  });
}
