// What the API answers, from schema/, which is generated. Where it says no more than "any JSON", this
// does. What is not known is null, never 0.
import type * as answers from "./schema/answers";

export type { Report, Finding, Device, Advice } from "./schema/report";
export type { Tune } from "./schema/tune";
export type { Compare, Contrast } from "./schema/compare";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

type Fields = { [key: string]: Json };

export type Tracked = Omit<answers.Headline, "config" | "summary"> & { config: Fields; summary: Fields };
export type RunRow = Omit<answers.RunRow, "tracked"> & { tracked: Tracked | null };
export type RunPage = Omit<answers.RunList, "runs"> & { runs: RunRow[] };
export type SeriesInfo = answers.SeriesInfo;
// What a script logged beside numbers: text as it is, the rest as an object that names its type.
export type TrackedRow = Omit<answers.TrackedRow, "data"> & { data: Fields };
export type TrackedFile = answers.TrackedFile;
export type TrackedPart = Pick<answers.TrackedRun, "id" | "name" | "parts" | "files"> & { rows: TrackedRow[] };
export type RunDetail = Omit<answers.Run, "row" | "tracked" | "describe"> & { row: RunRow; tracked: TrackedPart[]; describe: Fields };
export type StepBucket = answers.StepBucket;
export type StepsAnswer = answers.Steps;
export type StepAxis = answers.StepAxis;
export type RanksAnswer = answers.Ranks;
export type IdleAnswer = answers.Idle;
export type LoaderAnswer = answers.Loader;
export type LanesAnswer = answers.Lanes;
export type Output = answers.Output;
export type OutputLine = answers.OutputLine;
export type RunEvent = answers.Event;
export type ConfigDiff = { keys: { key: string; values: Json[] }[] };

// One series at the resolution that was asked for. `low`, `high` and `mean` are of a column of
// pixels; where the points are the recorded ones (raw) they are the values themselves, and a server
// that gives no means has `last` there.
export interface Series {
  key: string;
  x: number[];
  low: (number | null)[];
  high: (number | null)[];
  mean: (number | null)[];
  last: (number | null)[];
  raw: boolean;
}
