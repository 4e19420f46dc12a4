/** Where the flags lie, for example "/assets/flags-1.6.20". Set by the build. */
declare const __FLAGS_FOLDER__: string;

/** What the browser's build made, read from its manifest. */
declare module "virtual:page-assets" {
  export const files: {
    readonly start: readonly string[];
    readonly font: string | null;
    readonly islands: readonly string[];
  };
}
