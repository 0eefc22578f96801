// Alarms: the little that a program without timers can know of time to come. The clock stands still within a call, so
// an alarm is due when nothing else is left to do: no job and no answer of a fetch. The host then calls `ring`; alarms
// ring in the order of their times, and in the order of their setting when these are equal.

import { callHost } from "./host.ts";

interface Alarm {
  readonly due: number;
  readonly step: () => void;
}

const alarms: Alarm[] = [];
/** Milliseconds by which alarms have moved on the time that later alarms count from. No clock shows it. */
let passed = 0;

/** Calls `step` when `milliseconds` would have passed and the program waits for nothing else. */
export function setAlarm(milliseconds: number, step: () => void): void {
  const due = passed + milliseconds;
  const later = alarms.findIndex((alarm) => alarm.due > due);
  alarms.splice(later < 0 ? alarms.length : later, 0, { due, step });
  callHost("alarm");
}

/** Called by the host, once for each alarm at most. */
export function ring(): void {
  const alarm = alarms.shift();
  if (alarm === undefined) return;
  passed = alarm.due;
  alarm.step();
}
