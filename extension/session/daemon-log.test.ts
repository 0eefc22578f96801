import { expect, it } from "vitest";
import { writeDaemonLine } from "./daemon-log.ts";

it("writes each line at its level, in readable form", () => {
  const written: string[][] = [];
  const at = (level: string) => (text: string) => void written.push([level, text]);
  const log = { error: at("error"), warn: at("warn"), info: at("info"), debug: at("debug") };
  const time = "2026-01-02T03:04:05.678Z";
  writeDaemonLine(log, JSON.stringify({ level: "warn", time, part: "layer1_node", msg: "slow" }));
  writeDaemonLine(log, JSON.stringify({ level: "debug", time, msg: "signal" }));
  writeDaemonLine(log, "ERROR PORT_IN_USE: Port 1 is in use.");
  writeDaemonLine(log, "something a library printed");
  expect(written).toEqual([
    ["warn", "slow  part=layer1_node"],
    ["debug", "signal"],
    ["error", "ERROR PORT_IN_USE: Port 1 is in use."],
    ["info", "something a library printed"],
  ]);
});
