import type { SearchHit } from "@farline/contract/operator/search.ts";
import { dollarText } from "@farline/contract/operator/words/money-words.ts";
import { hitWords } from "@farline/contract/operator/words/search-words.ts";
import { countryByCode } from "@farline/domain/countries/countries.ts";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { Link, useLocation, useNavigate } from "react-router";
import * as styles from "../console.module.css";
import { countryLibrary, useLibrary } from "../../text/libraries.ts";
import { messageOf } from "../../service/http.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Field } from "../../ui/forms/field.tsx";
import { Form } from "../../ui/forms/form.tsx";
import { Banner } from "../../ui/messages/banner.tsx";
import { consoleRequest } from "../console-request.ts";
import { CheckBox } from "../shell/fields.tsx";
import { Loading } from "../shell/figures.tsx";
import { PageTitle } from "../shell/top-bar.tsx";
import { hasSearchKey, type SearchState, setSearchKey } from "./use-search-key.ts";
import { CopyKey, When } from "../shell/inline-parts.tsx";

/** One box for everything. The text is kept in the browser's history, never in the address: it may be a customer's. */
export function SearchPage() {
  const { state } = useLocation();
  const navigate = useNavigate();
  const { text: asked = "", focusedAt = null } = (state ?? {}) as SearchState;
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (focusedAt !== null) box.current?.focus();
  }, [focusedAt]);
  const [text, setText] = useState(asked);
  const [searchKey, setShown] = useState(hasSearchKey);
  const search = useQuery({
    queryKey: ["search", asked],
    queryFn: () => consoleRequest("POST /api/operator/search", { body: { text: asked } }),
    enabled: asked !== "",
    staleTime: Infinity,
  });
  const lookUp = useLibrary(countryLibrary, asked !== "");
  const countries = asked === "" ? [] : (lookUp?.countriesNamed(asked) ?? []);
  return (
    <>
      <PageTitle title="Search" />
      <Card className="stack">
        <Form
          role="search"
          className={styles.search}
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            if (text.trim() !== "") void navigate("/operator/search", { state: { text: text.trim() } });
          }}
        >
          <Field
            label="Name, address, number, card, receipt, network, country or id"
            hint="For example Anna Kovács, anna@example.com, example.com, +44 7400 123456, 4242 25.00, 2026-000153, 203.0.113.7, or any id of ours or the provider's."
            ref={box}
            type="search"
            autoComplete="off"
            spellCheck={false}
            value={text}
            onValue={setText}
          />
          <Button pair="action" type="submit" busy={search.isFetching}>
            Search
          </Button>
        </Form>
        <CheckBox
          label="The / key opens this page from anywhere"
          checked={searchKey}
          onCheck={(on) => {
            setSearchKey(on);
            setShown(on);
          }}
        />
        {search.isFetching && <Loading />}
        {countries.length > 0 && <Countries codes={countries} />}
        {search.isError && countries.length === 0 && (
          <Banner kind="error">{messageOf(search.error, "The search did not work. Try again.")}</Banner>
        )}
        {search.isSuccess && search.data.hits.length === 0 && countries.length === 0 && (
          <EmptyState title="Nothing found" text={search.data.note ?? undefined} />
        )}
        {search.isSuccess && search.data.hits.length > 0 && (
          <ul className={styles.rows} aria-label="Found">
            {search.data.hits.map((hit) => (
              <HitRow key={`${hit.type} ${hit.id}`} hit={hit} />
            ))}
          </ul>
        )}
        {search.data?.more === true && <p className="small muted">There are more results. Refine your search.</p>}
      </Card>
    </>
  );
}

/** Countries that the text names; their prices are what the console knows about them. */
function Countries({ codes }: { readonly codes: readonly string[] }) {
  return (
    <ul className={styles.rows} aria-label="Countries">
      {codes.map((code) => (
        <li key={code} className={styles.row}>
          <Link className="link" to={`/operator/prices?country=${code}`}>
            {`Prices of ${countryByCode(code)?.name ?? code}`}
          </Link>
        </li>
      ))}
    </ul>
  );
}

function HitRow({ hit }: { readonly hit: SearchHit }) {
  const { type, id, customer_id: customer, name, email, at, amount } = hit;
  const target = targetOf(hit);
  const words = hitWords(hit);
  const isCustomer = type === "customer";
  const title = isCustomer && email !== null ? email : words.title;
  return (
    <li className={styles.row}>
      <div className={styles.head}>
        {target === null ? (
          <span className={styles.title}>{title}</span>
        ) : (
          <Link className="link" to={target}>
            {title}
          </Link>
        )}
        {at !== null && <When at={at} className="small" />}
      </div>
      <div className={styles.facts}>
        {amount !== null && <span className="fig">{dollarText(amount)}</span>}
        {isCustomer && <span>{[words.title, name].filter(Boolean).join(" ")}</span>}
        {words.note !== "" && <span>{words.note}</span>}
        <span>
          <span>id</span>
          <CopyKey of={id} what="id" />
        </span>
        {customer !== null && email !== null && !isCustomer && (
          <Link className="link" to={`/operator/customers/${customer}`}>
            {email}
          </Link>
        )}
      </div>
    </li>
  );
}

function targetOf({ type, id, customer_id: customer }: SearchHit): string | null {
  if (type === "call") return `/operator/calls/${id}`;
  return customer === null ? null : `/operator/customers/${customer}`;
}
