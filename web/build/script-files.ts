import type { Rolldown } from "vite";

type Entry = "app" | "dialer" | "every public page" | "public pages with islands";

const ENTRIES: readonly (readonly [file: RegExp, Entry])[] = [
  [/\/web\/src\/main\.tsx$/, "app"],
  [/\/web\/src\/features\/dialer\/dialer-page\.tsx$/, "dialer"],
  [/\/web\/src\/public\/start\.ts$/, "every public page"],
  [/\/web\/src\/public\/hydrate-islands\.tsx$/, "public pages with islands"],
];
const OWN = /\/(?:web|domain|contract)\/src\/(?!phone\/(?!quality\/))[\w/-]+\.tsx?$|\/@tabler\/icons-react\//;
const SMALL_CHARS = 8_000;
/** The index of the library names them, so every page seems to import them; only pages with forms and with long lists do. */
const OF_LATER_PAGES =
  /\/@tanstack\/[\w-]+\/build\/modern\/(?:mutationObserver|infiniteQueryObserver|useMutation|useInfiniteQuery)\.js$/;

/** Scripts, and the files that every page with such a script has loaded already. */
const LOADED_WITH: readonly (readonly [host: RegExp, files: RegExp])[] = [
  [/^/, /^assets\/(?:react|shared|app-styles|rolldown-runtime)-[\w-]{8}\.js$/],
  [/^assets\/(?:app|dialer-page|small-dialer)-[\w-]{8}\.js$/, /^assets\/app(?:-styles)?-[\w-]{8}\.(?:js|css)$/],
  [/^assets\/(?:dialer-page|small-dialer)-[\w-]{8}\.js$/, /^assets\/small-shared-[\w-]{8}\.js$/],
  [/^assets\/dialer-page-[\w-]{8}\.js$/, /^assets\/small-dialer-[\w-]{8}\.js$/],
];

/** Whether every page that loads a part from the script `host` has this file already, so that the part's list of files need not name it. */
export const isAlwaysLoaded = (file: string, host: string): boolean =>
  LOADED_WITH.some(([hosts, files]) => hosts.test(host) && files.test(file));

/**
 * Groups the files that every page of the app loads into three chunks, because public pages use some of them. The entry stays out: it
 * awaits the first page's chunk, which must not import the entry's.
 */
export const entryFiles: Rolldown.CodeSplittingGroup = {
  name: (id, context) => {
    const entries = entriesOf(id, context);
    if (OF_LATER_PAGES.test(id) || ENTRIES.some(([file]) => file.test(id))) return null;
    // What the first script of public pages needs is small, and must not wait for React. What only that script needs stays in it.
    if (entries.has("every public page")) return entries.has("app") || entries.has("dialer") ? "shared" : null;
    if (!entries.has("app")) return null;
    return entries.has("public pages with islands") ? "react" : "app";
  },
  debugName: "entry-files",
  test: /\.(?:[cm]?[jt]sx?|svg|json)$/,
  includeDependenciesRecursively: false,
};

/**
 * Groups the small files that public pages with islands share, even if only with one page: a request costs more than they weigh. Those of
 * the dialer stay out, which must not load the others.
 */
export const smallFilesOfPublicPages: Rolldown.CodeSplittingGroup = {
  name: smallFilesOf((entries) => entries.has("public pages with islands") && !entries.has("dialer")),
  debugName: "small-files-of-public-pages",
  minShareCount: 2,
  includeDependenciesRecursively: false,
};

const smallFileOfAny = smallFilesOf(() => true);

/** Groups small files that several pages share. Otherwise each set of pages gets its own chunk, mostly below a kilobyte. */
export const smallFiles: Rolldown.CodeSplittingGroup = {
  name: (id, context) => (OF_LATER_PAGES.test(id) ? "small" : smallFileOfAny(id, context)),
  debugName: "small-files",
  minShareCount: 5,
  includeDependenciesRecursively: false,
};

/** Groups the small files that the dialer shares, even if only with one page. */
export const smallFilesOfDialer: Rolldown.CodeSplittingGroup = {
  name: smallFilesOf((entries) => entries.has("dialer")),
  debugName: "small-files-of-dialer",
  minShareCount: 2,
  includeDependenciesRecursively: false,
};

type NameOfGroup = (id: string, context: Rolldown.ChunkingContext) => string | null;

function smallFilesOf(wanted: (entries: ReadonlySet<Entry>) => boolean): NameOfGroup {
  return (id, context) => {
    const entries = entriesOf(id, context);
    if (entries.has("app") || !wanted(entries) || !isSmall(id, context)) return null;
    if (entries.has("public pages with islands")) return entries.has("dialer") ? "small-shared" : "small-public";
    return entries.has("dialer") ? "small-dialer" : "small";
  };
}

/** Whether a file is small, together with everything it imports that the app has not loaded yet. */
function isSmall(id: string, context: Rolldown.ChunkingContext, seen = new Set<string>()): boolean {
  if (seen.has(id) || entriesOf(id, context).has("app")) return true;
  seen.add(id);
  const file = context.getModuleInfo(id);
  if (file === null || !OWN.test(id) || (file.code?.length ?? SMALL_CHARS) >= SMALL_CHARS) return false;
  return file.importedIds.every((imported) => imported.endsWith(".css") || isSmall(imported, context, seen));
}

/** The entries that import a file statically, directly or not. */
function entriesOf(id: string, context: Rolldown.ChunkingContext, seen = new Set<string>()): ReadonlySet<Entry> {
  const found = new Set<Entry>();
  for (const [file, entry] of ENTRIES) if (file.test(id)) found.add(entry);
  if (seen.has(id)) return found;
  seen.add(id);
  for (const importer of context.getModuleInfo(id)?.importers ?? [])
    for (const entry of entriesOf(importer, context, seen)) found.add(entry);
  return found;
}
