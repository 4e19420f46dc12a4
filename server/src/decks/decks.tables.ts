import type { ColumnType } from "kysely";
import type { ColumnLayout } from "./file/column-layout.ts";

/** Kysely types of the importer's tables. */
export interface DeckImportTables {
  /** The columns and read notices of the file that a deck was imported from. Immutable. */
  deck_columns: {
    deck_id: string;
    layout: ColumnType<ColumnLayout, string, never>;
    notices: ColumnType<readonly string[], string, never>;
  };
}
