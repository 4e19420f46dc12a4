import { IconFileImport } from "@tabler/icons-react";
import { useId, useState } from "react";
import { classNames } from "../class-names.ts";
import { Icon } from "../icon.tsx";
import * as fieldStyles from "./field.module.css";
import * as styles from "./file-drop.module.css";

interface FileDropProps {
  readonly file: File | null;
  /** Which files the picker offers. */
  readonly accept: string;
  readonly texts: { readonly choose: string; readonly chooseOther: string; readonly hint: string };
  /** @param dropped true for a dropped file, false for a picked one */
  readonly onChoose: (file: File | null, dropped: boolean) => void;
}

/** A drop zone that also opens the file picker. */
export function FileDrop({ file, accept, texts, onChoose }: FileDropProps) {
  const id = useId();
  const [over, setOver] = useState(false);
  return (
    <div
      className={over ? classNames(styles.filedrop, styles.over) : styles.filedrop}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        onChoose(event.dataTransfer.files[0] ?? null, true);
      }}
    >
      <input
        id={id}
        className={styles.input}
        type="file"
        accept={accept}
        aria-describedby={file === null ? `${id}-hint` : undefined}
        onChange={(event) => {
          onChoose(event.target.files?.[0] ?? null, false);
          // Reset, so that choosing the same file again after editing it works.
          event.target.value = "";
        }}
      />
      <label htmlFor={id} className={styles.label}>
        <Icon of={IconFileImport} />
        <span>{file === null ? texts.choose : <bdi>{file.name}</bdi>}</span>
        {file !== null && <span className={styles.other}>{texts.chooseOther}</span>}
      </label>
      {file === null && (
        <p className={fieldStyles.hint} id={`${id}-hint`}>
          {texts.hint}
        </p>
      )}
    </div>
  );
}
