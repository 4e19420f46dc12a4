import type { SettingResponse } from "@farline/contract/operator/business.ts";
import { settingTitle, settingWords } from "@farline/contract/operator/words/setting-words.ts";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import * as styles from "../console.module.css";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { consoleRequest } from "../console-request.ts";
import { useRight } from "../console-session.tsx";
import { OperationForm } from "../operation/operation-form.tsx";
import { Loaded } from "../shell/figures.tsx";
import { PageTitle } from "../shell/top-bar.tsx";
import { Times } from "../shell/inline-parts.tsx";

/** What operators can set while the service runs, with who set it and what applies later. */
export function SettingsPage() {
  const mayChange = useRight("settings");
  const [chosen, setChosen] = useState<SettingResponse | null>(null);
  const list = useQuery({ queryKey: ["settings"], queryFn: () => consoleRequest("GET /api/operator/settings") });
  return (
    <>
      <PageTitle title="Settings" />
      <Loaded of={list} failure="The settings could not be loaded">
        {({ settings }) => (
          <div className="stack">
            {inGroups(settings).map(([group, members]) => (
              <Card key={group} title={group} className={styles.tight}>
                <ul className={styles.rows} aria-label={group}>
                  {members.map((setting) => (
                    <SettingRow key={setting.name} setting={setting} onChange={mayChange ? () => setChosen(setting) : null} />
                  ))}
                </ul>
              </Card>
            ))}
          </div>
        )}
      </Loaded>
      {chosen !== null && (
        <OperationForm
          operation="set-setting"
          subject={chosen.name}
          title={`Change ${settingTitle(chosen.name)}`}
          initial={{ value: chosen.value }}
          onClose={() => setChosen(null)}
        >
          <p>{`One operator may set ${rangeText(chosen.alone)} alone. Accepted: ${rangeText(chosen.bounds)}.`}</p>
        </OperationForm>
      )}
    </>
  );
}

/** The settings by what they limit, in the order in which they come. */
function inGroups(settings: readonly SettingResponse[]): [string, SettingResponse[]][] {
  const groups = new Map<string, SettingResponse[]>();
  for (const setting of settings) {
    const group = settingWords(setting.name)?.group ?? "Others";
    groups.set(group, [...(groups.get(group) ?? []), setting]);
  }
  return [...groups];
}

interface SettingRowProps {
  readonly setting: SettingResponse;
  /** Null for those who only read. */
  readonly onChange: (() => void) | null;
}

function SettingRow({ setting: { name, value, since, default: usual, next }, onChange }: SettingRowProps) {
  const [showsHistory, setShown] = useState(false);
  const title = settingTitle(name);
  return (
    <li className={styles.row} aria-label={title}>
      <div className={styles.head}>
        <span>
          <span className={styles.title}>{settingWords(name)?.words ?? name}</span> <code className="small muted">{name}</code>
        </span>
        <span className="fig">{value}</span>
      </div>
      <div className={styles.facts}>
        <span>{since === null ? "the default" : <Times text={`since ${since.at}, by ${since.operator}`} />}</span>
        {since !== null && <span>{`default ${usual}`}</span>}
        {next.map(({ value: later, from, operator }) => (
          <span key={from}>
            <Times text={`${later} from ${from}, by ${operator}`} />
          </span>
        ))}
      </div>
      <div className={styles.actions}>
        {onChange !== null && (
          <Button size="sm" aria-label={`Change ${title}`} onClick={onChange}>
            Change
          </Button>
        )}
        <Button size="sm" aria-label={`History of ${title}`} aria-expanded={showsHistory} onClick={() => setShown(!showsHistory)}>
          History
        </Button>
      </div>
      {showsHistory && <History setting={name} />}
    </li>
  );
}

function History({ setting }: { readonly setting: string }) {
  const history = useQuery({
    queryKey: ["settings", setting],
    queryFn: () => consoleRequest("GET /api/operator/settings/:setting", { params: { setting } }),
  });
  return (
    <Loaded of={history} failure="The history could not be loaded">
      {({ values, total, default: usual }) => (
        <ul className={styles.list} aria-label={`History of ${settingTitle(setting)}`}>
          {values.map(({ value, from, operator, reason }) => (
            <li key={`${from} ${value}`} className={styles.facts}>
              <strong className="fig">{value}</strong>
              <span>
                <Times text={`from ${from}`} />
              </span>
              <span>{`by ${operator}: ${reason}`}</span>
            </li>
          ))}
          <li className={styles.facts}>
            <span>
              {total > values.length
                ? `${total - values.length} older changes are in the audit log.`
                : `Before: the default, ${usual}.`}
            </span>
          </li>
        </ul>
      )}
    </Loaded>
  );
}

function rangeText({ min, max }: SettingResponse["alone"]): string {
  return `${min} to ${max}`;
}
