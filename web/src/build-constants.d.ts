/** Address of the flags, for example "/assets/flags-1.6.20". Set by the build. */
declare const __FLAGS_FOLDER__: string;

/** Files of the browser build, read from its manifest. */
declare module "virtual:page-assets" {
  export const files: {
    readonly start: readonly string[];
    readonly font: string | null;
    readonly islands: readonly string[];
  };
}
