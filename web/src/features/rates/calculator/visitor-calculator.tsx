import { useMemo } from "react";
import { Calculator, type CallLinkProps } from "./calculator.tsx";

/** A country as a short array (code, name, average rate), because the page contains all of them. */
export type CompactCountry = readonly [code: string, name: string, usualRate: string];

/** The calculator of the public page. */
export function VisitorCalculator({ countries }: { readonly countries: readonly CompactCountry[] }) {
  const full = useMemo(() => countries.map(([code, name, usualRate]) => ({ code, name, usualRate })), [countries]);
  return <Calculator countries={full} callLink={SignUpLink} />;
}

/** The page's first script keeps what was entered (`web/src/public/start.ts`). */
function SignUpLink({ className, children }: CallLinkProps) {
  return (
    <a className={className} href="/register">
      {children}
    </a>
  );
}
