/** Objects of the provider per list. Ends a list that would never end; nobody keeps the objects in memory. */
const MAX_OBJECTS = 10_000_000;

/** Limits a list. More objects are an error, because a partial comparison could hide differences. */
export async function* bounded<Item>(list: AsyncIterable<Item>): AsyncGenerator<Item> {
  let count = 0;
  for await (const item of list) {
    count += 1;
    if (count > MAX_OBJECTS) throw new Error(`More than ${MAX_OBJECTS} objects: reconcile a shorter span.`);
    yield item;
  }
}
