import { useMemo } from "react";
import { Calculator, type CallLinkProps } from "./calculator.tsx";

/** A country as a short array (code, name, average rate), because the page contains all of them. */
export type CompactCountry = readonly [code: string, name: string, averageRate: string];

/** The calculator of the public page. */
export function VisitorCalculator({ countries }: { readonly countries: readonly CompactCountry[] }) {
  const full = useMemo(() => countries.map(([code, name, averageRate]) => ({ code, name, averageRate })), [countries]);
  return <Calculator countries={full} callLink={SignUpLink} />;
}

function SignUpLink({ className, onClick, children }: CallLinkProps) {
  return (
    <a className={className} href="/register" onClick={onClick}>
      {children}
    </a>
  );
}
