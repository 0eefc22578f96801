// Alarms: the only timers of a program. The clock stands still within a call, so an alarm is due when nothing else is
// left to do: no job and no answer of a fetch. The host then calls `ring`; alarms fire in order of time, then in the
// order they were set.

import { callHost } from "./host.ts";

interface Alarm {
  readonly due: number;
  readonly step: () => void;
}

const alarms: Alarm[] = [];
/** Milliseconds skipped by alarms so far; later alarms count from there. No clock shows it. */
let passed = 0;

/** Calls `step` once `milliseconds` have passed and the program waits for nothing else. */
export function setAlarm(milliseconds: number, step: () => void): void {
  const due = passed + milliseconds;
  const later = alarms.findIndex((alarm) => alarm.due > due);
  alarms.splice(later < 0 ? alarms.length : later, 0, { due, step });
  callHost("alarm");
}

/** Called by the host, at most once per alarm. */
export function ring(): void {
  const alarm = alarms.shift();
  if (alarm === undefined) return;
  passed = alarm.due;
  alarm.step();
}
