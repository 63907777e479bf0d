// Figures of the verdict and of the run's time, from its report.
import type { Report } from "../api/types";
import { percent, seconds } from "../format/quantity";
import type { Part } from "./Bar";
import { accountParts, idleCauses } from "./names";

export function accountOf(report: Report): Part[] {
  const account = report.account;
  if (!account) return [];
  return accountParts.flatMap(([key, name, colour]) => {
    const value = account[key];
    return value === undefined ? [] : [{ name, colour, value, text: `${seconds(value)}, ${percent(value / account.total_s!)}` }];
  });
}

export interface IdleAccount {
  device: number;
  idle: number;
  parts: Part[];
}

// Of each device whose kernels were traced: why it idled, as shares of its window.
export function idleOf(report: Report): IdleAccount[] {
  return report.devices.flatMap((device) => {
    const account = (device.in_steps?.idle_account ?? device.idle_account) as Record<string, number> | undefined;
    const idle = device.in_steps?.idle ?? device.idle;
    if (!account || idle === undefined) return [];
    const parts = idleCauses.flatMap(([key, name, colour]) => {
      const value = account[key];
      return value ? [{ name, colour, value, text: percent(value) }] : [];
    });
    return parts.length ? [{ device: device.index, idle, parts }] : [];
  });
}

export interface Headline {
  idle: number | null; // share of the steady steps in which the device waits
  lost_s: number | null;
}

export function headlineOf(report: Report): Headline {
  const busy = report.steps?.device_busy;
  const steady = report.account?.["steps_s"];
  const idle = busy === undefined ? null : Math.max(0, 1 - busy);
  return { idle, lost_s: idle === null || steady === undefined ? null : idle * steady };
}
