/** The parts of rolldown's plugin context that are used here. */
interface ModuleGraph {
  getModuleInfo(id: string): { readonly importers: readonly string[] } | null;
}

/**
 * Names the chunk for what a script uses, with all that this imports: who needs the script loads nothing beside it that only
 * others need, and nobody loads any of it twice.
 * @param entry the script
 */
export function commonChunk(name: string, entry: RegExp): (id: string, graph: ModuleGraph) => string | null {
  const known = new Map<string, boolean>();
  const isReached = (id: string, graph: ModuleGraph): boolean => {
    const answer = known.get(id);
    if (answer !== undefined) return answer;
    known.set(id, false); // So that a circle of imports ends.
    const reached = entry.test(id) || (graph.getModuleInfo(id)?.importers ?? []).some((importer) => isReached(importer, graph));
    known.set(id, reached);
    return reached;
  };
  return (id, graph) => (isReached(id, graph) ? name : null);
}
