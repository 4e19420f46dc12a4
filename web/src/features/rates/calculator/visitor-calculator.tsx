import { useMemo } from "react";
import { Calculator, type CallLinkProps } from "./calculator.tsx";

/** A country as a short array (code, name, calling code, average rate), because the page contains all of them. */
export type CompactCountry = readonly [code: string, name: string, dialCode: string, usualRate: string];

/** The calculator of the public page. */
export function VisitorCalculator({ countries }: { readonly countries: readonly CompactCountry[] }) {
  const full = useMemo(
    () => countries.map(([code, name, dialCode, usualRate]) => ({ code, name, dialCode, usualRate })),
    [countries],
  );
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
