import { useState } from "react";
import { useNavigate } from "react-router";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Field } from "../../ui/forms/field.tsx";
import { Form } from "../../ui/forms/form.tsx";
import * as styles from "./lookup.module.css";

/** Chooses the called numbers by how they begin. */
export function PrefixForm({ prefix }: { readonly prefix: string }) {
  const [typed, setTyped] = useState(prefix);
  const navigate = useNavigate();
  return (
    <Card>
      <Form
        className={styles.search}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          const wanted = typed.trim();
          void navigate(wanted === "" ? "/operator/live" : `/operator/live?${new URLSearchParams({ prefix: wanted })}`);
        }}
      >
        <Field
          label="Numbers that begin with"
          hint="For example +44 or +8821. Leave it empty for all calls."
          inputMode="tel"
          autoComplete="off"
          value={typed}
          onValue={setTyped}
        />
        <Button type="submit">Show</Button>
      </Form>
    </Card>
  );
}
