/** The parts of rolldown's plugin context that are used here. */
interface ModuleGraph {
  getModuleInfo(id: string): { readonly importers: readonly string[] } | null;
}

const ISLANDS = /web\/src\/public\/take-over-islands\.tsx$/;

/**
 * Names the chunk for what the living parts of public pages use, so that a visitor loads none of what only the app needs,
 * and the app loads none of it twice.
 */
export function commonChunk(): (id: string, graph: ModuleGraph) => string | null {
  const known = new Map<string, boolean>();
  const isReached = (id: string, graph: ModuleGraph): boolean => {
    const answer = known.get(id);
    if (answer !== undefined) return answer;
    known.set(id, false); // So that a circle of imports ends.
    const reached = ISLANDS.test(id) || (graph.getModuleInfo(id)?.importers ?? []).some((importer) => isReached(importer, graph));
    known.set(id, reached);
    return reached;
  };
  return (id, graph) => (isReached(id, graph) ? "shared-public" : null);
}
