// Files and artifacts that a script kept, to be downloaded.
import { fileAddress } from "../api/runs";
import type { Json, TrackedFile } from "../api/types";
import { offset } from "../format/moment";
import { bytes } from "../format/quantity";
import { PagedTable } from "../plot/PagedTable";

const word = (value: unknown): string => (typeof value === "string" ? value : "");

// "model:v3 (model; latest, best)"
export function artifactText(artifact: TrackedFile["artifact"]): string {
  if (!artifact) return "";
  const fields = artifact as { [key: string]: Json };
  const aliases = Array.isArray(fields["aliases"]) ? fields["aliases"].map(word).filter(Boolean).join(", ") : "";
  const about = [word(fields["type"]), aliases].filter(Boolean).join("; ");
  if (!word(fields["name"])) return "";
  return `${word(fields["name"])}:${word(fields["version"])}${about ? ` (${about})` : ""}`;
}

export function LoggedFiles({ files, run }: { files: TrackedFile[]; run: string }) {
  if (files.length === 0) return null;
  return (
    <>
      <h3 class="group">Files</h3>
      <PagedTable
        label="Files" columns={["File", "Kind", "Artifact", "Size", "Logged"]} count={files.length} rowsAPage={20}
        row={(at) => {
          const file = files[at]!;
          return [<a href={fileAddress(run, file.file)} download={file.path.split("/").at(-1)}>{file.path}</a>, file.kind, artifactText(file.artifact), file.bytes === null ? "–" : bytes(file.bytes), offset(file.t_ms)];
        }}
      />
    </>
  );
}
