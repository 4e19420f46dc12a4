import { operatorRoles, type OperatorRole } from "@farline/contract/operator/rights.ts";
import { readEmailAddress } from "@farline/domain/email-address.ts";
import { cleanLine } from "@farline/domain/clean-text.ts";
import { fetchLink, inviteFirstAdmin, readOperators, type InvitationLink } from "@farline/server/operator/operator.ts";
import { type Command, Option } from "commander";
import { print, reasoned, run, show, type Reasoned } from "../commands.ts";
import { CommandError } from "../installation.ts";
import { asOperator, isSignedIn, withContext } from "../open-context.ts";
import { linkText, operate } from "../operate.ts";

interface AddOptions {
  readonly role: OperatorRole;
  readonly name?: string;
  readonly reason: string;
}

/** `operator …`: who may use the console and change things on the command line. */
export function addPeopleCommands(program: Command): void {
  const people = program.command("operator").description("people who run the service");
  people.command("list", { isDefault: true }).description("operators and their roles").action(run(list));
  people
    .command("add <mail>")
    .description("add an operator, and show the one-time link for their sign-in")
    .addOption(new Option("--role <role>", "what they may do").choices(operatorRoles).makeOptionMandatory())
    .option("--name <name>", "as shown to others; the first part of the address by default")
    .option("--reason <text>", "why; kept in the record of operations", "New operator")
    .action(run(add));
  reasoned(people.command("link <mail>").description("end an operator's sign-in, and show a one-time link for a new one")).action(
    run((operator: string, { reason }: Reasoned) => operate("renew-invitation", { operator, reason })),
  );
  people
    .command("fetch-link <mail>")
    .description("show, once, the link that you proposed and another administrator confirmed")
    .action(
      run(async (operator: string) =>
        print(linkText(await asOperator(process.env, "operators", (ctx) => fetchLink(ctx, { operator })))),
      ),
    );
  reasoned(people.command("role <mail>").description("change an operator's role"))
    .addOption(new Option("--role <role>", "the new role").choices(operatorRoles).makeOptionMandatory())
    .action(
      run((operator: string, { role, reason }: Reasoned & { role: OperatorRole }) =>
        operate("change-role", { operator, role, reason }),
      ),
    );
  reasoned(people.command("end-sessions <mail>").description("sign an operator out everywhere")).action(
    run((operator: string, { reason }: Reasoned) => operate("end-operator-sessions", { operator, reason })),
  );
  reasoned(people.command("remove <mail>").description("remove an operator; the record keeps their name")).action(
    run((operator: string, { reason }: Reasoned) => operate("remove-operator", { operator, reason })),
  );
}

async function list(): Promise<void> {
  const all = await withContext(process.env, (ctx) => readOperators(ctx));
  const nameOf = new Map(all.map(({ id, name }) => [id, name]));
  const lines = all.map(({ email, name, role, hasPassword, passkeys, sessions, invitedUntil, trusted_from: from, ...link }) => {
    const ways = [hasPassword ? "password and authenticator" : "", passkeys > 0 ? `${passkeys} passkeys` : ""].filter(Boolean);
    const way = ways.join(", ") || (invitedUntil === null ? "cannot sign in" : `invited until ${invitedUntil.toISOString()}`);
    const waits = link.linkProposer === null ? "" : `, a link waits for ${nameOf.get(link.linkProposer) ?? "somebody removed"}`;
    const trust = from > new Date() ? `, counts as a second person from ${from.toISOString()}` : "";
    return `${email}  ${name}  ${role}  ${way}, ${sessions} sessions${waits}${trust}`;
  });
  show({ operators: all }, [...lines, `${all.length} operators.`]);
}

async function add(mail: string, { role, name, reason }: AddOptions): Promise<void> {
  const email = readEmailAddress(mail);
  if (email === null) throw new CommandError(`${mail} is not an email address.`);
  const invited = { email, name: cleanLine(name ?? "").slice(0, 120) || (email.split("@")[0] ?? email), reason };
  if (isSignedIn(process.env)) return operate("invite-operator", { ...invited, role });
  print(linkText(await withContext(process.env, (ctx) => addFirst(role, () => inviteFirstAdmin(ctx, invited)))));
}

async function addFirst(role: OperatorRole, invite: () => Promise<InvitationLink>): Promise<InvitationLink> {
  if (role !== "admin")
    throw new CommandError("You are not signed in, so only the first administrator can be added: --role admin.");
  return invite();
}
