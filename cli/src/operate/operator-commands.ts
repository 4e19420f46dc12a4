import type { Command } from "commander";
import { addCallCommands } from "./call-commands.ts";
import { addCustomerChangeCommands } from "./customer-change-commands.ts";
import { addCustomerCommands } from "./customer-commands.ts";
import { addDeckCommands } from "./deck-commands.ts";
import { addPeopleCommands, type AddFirst } from "./people-commands.ts";
import { addQueueCommands } from "./queue-commands.ts";
import { addReportCommands } from "./report-commands.ts";
import { addSellingCommands } from "./selling-commands.ts";

/** Adds the commands that use the service as an operator. */
export function addOperatorCommands(program: Command, addFirst: AddFirst): void {
  addPeopleCommands(program, addFirst);
  addCustomerCommands(program);
  addCustomerChangeCommands(program);
  addCallCommands(program);
  addQueueCommands(program);
  addReportCommands(program);
  addSellingCommands(program);
  addDeckCommands(program);
}
