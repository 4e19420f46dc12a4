import { createHash } from "node:crypto";

export interface TestPerson {
  /** Google's permanent id of the person: 21 digits. */
  readonly sub: string;
  readonly name: string;
  readonly email: string;
  readonly emailVerified: boolean;
  /** The person's Google Workspace domain; null for Gmail and mailboxes elsewhere. */
  readonly hostedDomain: string | null;
}

/** Whether Google hosts a typed address, verified it once, or never did. */
export const mailboxKinds = ["google", "elsewhere", "unverified"] as const;
export type MailboxKind = (typeof mailboxKinds)[number];

const MAX_PEOPLE = 1_000;
const WORKSPACE = "people.example";

/**
 * A fictional person whose company uses Google Workspace.
 * @param seed the same seed is the same person
 */
export function newPerson(seed: string): TestPerson {
  const tag = digits(`new ${seed}`).slice(0, 6);
  const email = `nia.${tag}@${WORKSPACE}`;
  return { sub: subOf(email), name: "Nia Newcomer", email, emailVerified: true, hostedDomain: WORKSPACE };
}

/** A person with an address chosen by the tester, who is identified by it. */
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

/** Recently signed-in people, needed for their tokens. The least recent is evicted first. */
export class TestPeople {
  readonly #bySub = new Map<string, TestPerson>();

  add(person: TestPerson): void {
    this.#bySub.delete(person.sub);
    this.#bySub.set(person.sub, person);
    const [oldest] = this.#bySub.keys();
    if (this.#bySub.size > MAX_PEOPLE && oldest !== undefined) this.#bySub.delete(oldest);
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
