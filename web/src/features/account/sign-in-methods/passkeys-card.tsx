import type { SignInMethodsResponse } from "@farline/contract/second-factor.ts";
import { IconFingerprint } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { request } from "../../../service/http.ts";
import { useServiceForm } from "../../../service/use-service-form.ts";
import { makePasskey, PasskeyError, type PasskeyProblem, passkeysSupported } from "../../../session/passkey.ts";
import { formatDate } from "../../../text/format.ts";
import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { classNames } from "../../../ui/class-names.ts";
import { Field } from "../../../ui/forms/field.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { Banner } from "../../../ui/messages/banner.tsx";
import { toast } from "../../../ui/messages/toast.ts";
import { useChange } from "../../../ui/use-change.ts";
import { CardForm, ConfirmDialog, OtherCallsEnd } from "../account-controls.tsx";
import { refreshAccount } from "../account-queries.ts";
import * as rowsStyles from "../../../ui/rows.module.css";
import * as styles from "../account.module.css";

type Passkey = SignInMethodsResponse["passkeys"][number];

/** Passkeys: sign-in with a fingerprint, a face or the device's screen lock. */
export function PasskeysCard({ passkeys }: { readonly passkeys: readonly Passkey[] }) {
  const { t } = useTranslation("account");
  const [adding, setAdding] = useState(false);
  const { busy, failure, change } = useChange(t("passkeys.removeFailure"));
  const [leaving, setLeaving] = useState<Passkey | null>(null);

  const remove = (passkey: Passkey) => {
    setLeaving(null);
    return change(async () => {
      await request("DELETE /api/account/passkeys/:id", { params: { id: passkey.id } });
      await refreshAccount();
      toast.success(t("passkeys.removed"));
    });
  };

  return (
    <Card title={t("passkeys.title")}>
      <p className={classNames(styles.lead, "muted")}>{t("passkeys.text")}</p>
      {failure !== null && <Banner kind="error">{failure}</Banner>}
      {passkeys.length > 0 && (
        <ul className={rowsStyles.rows}>
          {passkeys.map((passkey) => (
            <PasskeyRow key={passkey.id} passkey={passkey} busy={busy} onRemove={() => setLeaving(passkey)} />
          ))}
        </ul>
      )}
      <div className={styles.foot}>
        {adding ? (
          <AddPasskeyForm onClose={() => setAdding(false)} />
        ) : passkeysSupported() ? (
          <Button onClick={() => setAdding(true)}>{t("passkeys.add")}</Button>
        ) : (
          <p className="muted small">{t("passkeys.unsupported")}</p>
        )}
      </div>
      <ConfirmDialog
        open={leaving !== null}
        title={t("passkeys.removeTitle", { name: leaving?.name ?? "" })}
        text={t("passkeys.removeText")}
        action={t("passkeys.remove")}
        onConfirm={() => leaving !== null && void remove(leaving)}
        onClose={() => setLeaving(null)}
      >
        <OtherCallsEnd />
      </ConfirmDialog>
    </Card>
  );
}

interface PasskeyRowProps {
  readonly passkey: Passkey;
  readonly busy: boolean;
  readonly onRemove: () => void;
}

function PasskeyRow({ passkey, busy, onRemove }: PasskeyRowProps) {
  const { t } = useTranslation("account");
  const { name, last_used_at: used } = passkey;
  return (
    <li className={rowsStyles.crow}>
      <Icon of={IconFingerprint} />
      <div>
        <p className={rowsStyles.name}>{name}</p>
        <p className={rowsStyles.meta}>
          {[
            t("passkeys.since", { date: formatDate(passkey.created_at) }),
            used === null ? t("passkeys.unused") : t("passkeys.used", { date: formatDate(used) }),
          ].join(" · ")}
        </p>
        {passkey.synced && <p className={rowsStyles.meta}>{t("passkeys.synced")}</p>}
      </div>
      <Button size="sm" busy={busy} aria-label={t("passkeys.removeOne", { name })} onClick={onRemove}>
        {t("passkeys.remove")}
      </Button>
    </li>
  );
}

/** Names a passkey, creates it in the browser, and registers its public key with the service. */
function AddPasskeyForm({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation("account");
  const [problem, setProblem] = useState<PasskeyProblem | null>(null);
  const problems = { stopped: t("passkeys.stopped"), known: t("passkeys.known"), broken: t("passkeys.broken") };

  async function add(name: string): Promise<void> {
    setProblem(null);
    try {
      const { options } = await request("POST /api/account/passkeys/options");
      const credential = await makePasskey(options);
      await request("POST /api/account/passkeys", { body: { name, credential } });
    } catch (error) {
      if (!(error instanceof PasskeyError)) throw error;
      return setProblem(error.problem);
    }
    toast.success(t("passkeys.added"));
    onClose();
    await refreshAccount();
  }

  const form = useServiceForm({
    empty: { name: "" },
    send: ({ name }) => add(name),
    fallback: t("passkeys.addFailure"),
    focusOnRefusal: "name",
    focusAtFirst: "name",
  });
  const failure = problem === null ? form.failure : problems[problem];
  return (
    <CardForm form={{ ...form, failure }} action={t("passkeys.make")} onCancel={onClose}>
      <Field
        label={t("passkeys.name")}
        hint={t("passkeys.nameHint")}
        autoComplete="off"
        maxLength={60}
        {...form.required("name", t("passkeys.nameRequired"))}
      />
    </CardForm>
  );
}
