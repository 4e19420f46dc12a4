import type { Rolldown } from "vite";

/** Small files that many pages use. Excludes form files, which import a library. */
const SMALL =
  /\/web\/src\/(ui|text|service|session|browser)\/(?!robot-check|use-service-form)[\w-]+\.tsx?$|\/@tabler\/icons-react\//;
const PUBLIC_ENTRY = /\/web\/src\/public\/(start\.ts|hydrate-islands\.tsx)$/;

/**
 * Groups small shared files into two chunks: those that public pages use too, and those that only the app uses. Otherwise
 * each set of pages gets its own chunk, mostly below a kilobyte, and the requests cost more.
 */
export const smallFiles: Rolldown.CodeSplittingGroup = {
  name: (id, context) => (SMALL.test(id) ? (usedByPublicPages(id, context) ? "shared" : "app") : null),
  debugName: "small-files",
  minShareCount: 4,
  includeDependenciesRecursively: false,
};

function usedByPublicPages(id: string, context: Rolldown.ChunkingContext, seen = new Set<string>()): boolean {
  if (PUBLIC_ENTRY.test(id)) return true;
  if (seen.has(id)) return false;
  seen.add(id);
  const importers = [...(context.getModuleInfo(id)?.importers ?? [])];
  return importers.some((importer) => usedByPublicPages(importer, context, seen));
}
