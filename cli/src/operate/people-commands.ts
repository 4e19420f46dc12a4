import type { InvitationLinkResponse, ListedOperatorResponse } from "@farline/contract/operator/people.ts";
import { operatorRoles, type OperatorRole } from "@farline/contract/operator/rights.ts";
import { roleWords } from "@farline/contract/operator/words/words.ts";
import { cleanLine } from "@farline/domain/text/clean-text.ts";
import { readEmailAddress } from "@farline/domain/email-address.ts";
import { Option, type Command } from "commander";
import { ask, serviceUrl, tokenFile } from "../client/service.ts";
import { CommandError, print, run, show } from "../command.ts";
import { operate, operationCommand } from "./operation.ts";

const MAX_NAME_CHARS = 120;

/** Who is added, as the service and the machine take it. */
export interface Invited {
  readonly email: string;
  readonly name: string;
  readonly reason: string;
}
/** Adds the first administrator on the machine of the installation. */
export type AddFirst = (invited: Invited) => Promise<InvitationLinkResponse>;

interface AddOptions {
  readonly role: OperatorRole;
  readonly name?: string;
  readonly reason: string;
  readonly at?: string;
}

/** `operator …`: who may use the console and the commands. */
export function addPeopleCommands(program: Command, addFirst: AddFirst): void {
  const people = program.command("operator").description("people who run the service");
  people
    .command("list", { isDefault: true })
    .description("operators and their roles")
    .action(
      run(async () => {
        const { operators } = await ask("GET /api/operator/operators");
        const nameOf = new Map(operators.map(({ id, name }) => [id, name]));
        show({ operators }, [...operators.map((one) => operatorLine(one, nameOf)), `${operators.length} operators.`]);
      }),
    );
  people
    .command("add <mail>")
    .description("add an operator, and show the one-time link for their sign-in; the first administrator needs no sign-in")
    .addOption(new Option("--role <role>", "what they may do").choices(operatorRoles).makeOptionMandatory())
    .option("--name <name>", "as shown to others; the first part of the address by default")
    .option("--reason <text>", "why; kept in the audit log", "New operator")
    .action(run((mail: string, options: AddOptions) => add(mail, options, addFirst)));
  operationCommand(people, "renew-invitation", "link <mail>", {
    description: "end an operator's sign-in, and show a one-time link for a new one",
    done: linkText,
  });
  operationCommand(people, "fetch-link", "fetch-link <mail>", {
    description: "show, once, the link that you proposed and another administrator confirmed",
    done: linkText,
  });
  operationCommand(people, "change-role", "role <mail>", {
    description: "change an operator's role",
    options: { role: ["--role <role>", "the new role"] },
    done: () => "The role is changed.",
  });
  operationCommand(people, "end-operator-sessions", "end-sessions <mail>", {
    description: "sign an operator out everywhere",
    done: () => "All sessions have ended.",
  });
  operationCommand(people, "remove-operator", "remove <mail>", {
    description: "remove an operator; the audit log keeps their name",
    done: () => "The operator is removed.",
  });
}

async function add(mail: string, { role, name, reason, at }: AddOptions, addFirst: AddFirst): Promise<void> {
  const email = readEmailAddress(mail);
  if (email === null) throw new CommandError(`${mail} is not an email address.`);
  const invited = { email, name: cleanLine(name ?? "").slice(0, MAX_NAME_CHARS) || (email.split("@")[0] ?? email), reason };
  if (at !== undefined || tokenFile(serviceUrl()).read() !== null)
    return operate("invite-operator", undefined, { ...invited, role }, linkText);
  if (role !== "admin")
    throw new CommandError("You are not signed in, so only the first administrator can be added: --role admin.");
  print(linkText(await addFirst(invited)));
}

function linkText({ url, expires_at: until }: InvitationLinkResponse): string {
  return `Open this link before ${until} to set up the sign-in. It works once.\n${url}`;
}

function operatorLine(one: ListedOperatorResponse, nameOf: ReadonlyMap<string, string>): string {
  const { email, name, role, password, passkeys, sessions, invited_until: invitedUntil, second_person_from: from, link } = one;
  const ways = [password ? "password and authenticator" : "", passkeys > 0 ? `${passkeys} passkeys` : ""].filter(Boolean);
  const way = ways.join(", ") || (invitedUntil === null ? "cannot sign in" : `invited until ${invitedUntil}`);
  const waits = link === null ? "" : `, a link waits for ${nameOf.get(link.proposer) ?? "somebody removed"}`;
  const trust = from === null ? "" : `, counts as a second person from ${from}`;
  return `${email}  ${name}  ${roleWords[role]}  ${way}, ${sessions} sessions${waits}${trust}`;
}
