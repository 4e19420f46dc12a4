import { createHash } from "node:crypto";

/** The claims that Google returns about a person. */
export interface TestPerson {
  /** Google's number of the person: 21 digits, never changing. */
  readonly sub: string;
  readonly name: string;
  readonly email: string;
  readonly emailVerified: boolean;
  /** The Workspace domain whose mailboxes Google runs; null for a mailbox elsewhere and for Gmail. */
  readonly hostedDomain: string | null;
}

/** How well Google knows a typed address. */
export const mailboxKinds = ["google", "elsewhere", "unverified"] as const;
export type MailboxKind = (typeof mailboxKinds)[number];

const MOST_PEOPLE = 1_000;
const WORKSPACE = "people.example";

/**
 * A made-up person whose company has its mail with Google.
 * @param seed the same seed is the same person
 */
export function newPerson(seed: string): TestPerson {
  const tag = digits(`new ${seed}`).slice(0, 6);
  const email = `nia.${tag}@${WORKSPACE}`;
  return { sub: subOf(email), name: "Nia Newcomer", email, emailVerified: true, hostedDomain: WORKSPACE };
}

/** A person with an address of the tester's choice. The address identifies them; the rest may change. */
export function personWithAddress(email: string, kind: MailboxKind): TestPerson {
  const domain = email.slice(email.lastIndexOf("@") + 1).toLowerCase();
  const mailbox = email.slice(0, email.lastIndexOf("@"));
  const workspace = kind === "google" && domain !== "gmail.com";
  return {
    sub: subOf(email),
    name: mailbox.replaceAll(/[._+-]+/g, " ").trim() || "Test Person",
    email,
    emailVerified: kind !== "unverified",
    hostedDomain: workspace ? domain : null,
  };
}

/** Recently signed-in people, for their tokens. The least recently seen is forgotten first. */
export class TestPeople {
  readonly #bySub = new Map<string, TestPerson>();

  remember(person: TestPerson): void {
    this.#bySub.delete(person.sub);
    this.#bySub.set(person.sub, person);
    const [oldest] = this.#bySub.keys();
    if (this.#bySub.size > MOST_PEOPLE && oldest !== undefined) this.#bySub.delete(oldest);
  }

  find(sub: string): TestPerson | undefined {
    return this.#bySub.get(sub);
  }
}

function subOf(email: string): string {
  return `1${digits(email.toLowerCase()).slice(0, 20)}`;
}

function digits(text: string): string {
  return BigInt(`0x${createHash("sha256").update(text).digest("hex")}`)
    .toString()
    .padStart(78, "0");
}
