/** The parts of rolldown's plugin context that are used here. */
interface ModuleGraph {
  getModuleInfo(id: string): { readonly importers: readonly string[]; readonly importedIds: readonly string[] } | null;
}

/**
 * Names the chunk for what one script of the public pages uses, so that a visitor loads none of what only the app needs,
 * and the app loads none of it twice.
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

/**
 * Names the chunk for what many pages share, but for that which brings a package along that only some of them need: a
 * chunk takes everything with it that its modules import.
 * @param unwanted the package
 */
export function chunkWithout(name: string, unwanted: RegExp): (id: string, graph: ModuleGraph) => string | null {
  const known = new Map<string, boolean>();
  const brings = (id: string, graph: ModuleGraph): boolean => {
    const answer = known.get(id);
    if (answer !== undefined) return answer;
    known.set(id, false); // So that a circle of imports ends.
    const brought = unwanted.test(id) || (graph.getModuleInfo(id)?.importedIds ?? []).some((one) => brings(one, graph));
    known.set(id, brought);
    return brought;
  };
  return (id, graph) => (brings(id, graph) ? null : name);
}
