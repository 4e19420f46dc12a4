import { figureDefinitions } from "@farline/contract/operator/constants.ts";

/** What the figures above mean. */
export function Definitions({ of }: { readonly of: readonly (keyof typeof figureDefinitions)[] }) {
  return (
    <ul className="small muted">
      {of.map((name) => (
        <li key={name}>{figureDefinitions[name]}</li>
      ))}
    </ul>
  );
}
