/** In English, for operators: "1 call", "2,000 calls". */
export function countText(count: number, one: string, several = `${one}s`): string {
  return `${count.toLocaleString("en-US")} ${count === 1 ? one : several}`;
}
