// Tags and note of a run, as text that can be changed in place.
import { useSignal } from "@preact/signals";
import { changeRun } from "../api/runs";
import type { RunRow } from "../api/types";

// A tag may hold blanks, as those of scripts do.
export function readTags(text: string): string[] {
  return [...new Set(text.split(",").map((tag) => tag.trim()).filter(Boolean))];
}

interface FieldProps {
  name: string;
  value: string;
  hint: string;
  save(text: string): Promise<void>;
}

function Field({ name, value, hint, save }: FieldProps) {
  const problem = useSignal<string | null>(null);
  const send = (text: string) => {
    if (text === value) return;
    save(text).then(() => (problem.value = null), (error: Error) => (problem.value = error.message));
  };
  return (
    <label class="field">
      <span>{name}</span>
      <input key={value} defaultValue={value} placeholder={hint} onBlur={(event) => send(event.currentTarget.value)} onKeyDown={(event) => event.key === "Enter" && event.currentTarget.blur()} />
      {problem.value && <span class="problem" role="alert">{problem}</span>}
    </label>
  );
}

// `noted`: the script has left notes of its own.
export function Labels({ row, noted }: { row: RunRow; noted: boolean }) {
  const now = useSignal(row);
  const save = (change: { tags?: string[]; note?: string }) => changeRun(row.id, change).then((next) => void (now.value = next));
  return (
    <div class="labels">
      <Field name="Tags" hint={now.value.tracked?.tags?.length ? "more, separated by commas" : "none; separated by commas"} value={(now.value.tags ?? []).join(", ")} save={(text) => save({ tags: readTags(text) })} />
      <Field name="Note" hint={noted ? "a note beside the script's" : "none"} value={now.value.note ?? ""} save={(note) => save({ note })} />
    </div>
  );
}
