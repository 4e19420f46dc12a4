/** Where the flags lie, for example "/assets/flags-1.6.20". Set by the build. */
declare const __FLAGS_FOLDER__: string;
